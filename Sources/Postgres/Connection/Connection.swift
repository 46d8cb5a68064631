internal import CLibpq
internal import Dispatch
internal import Synchronization

/// One connection to the database.
///
/// It runs one statement after another; tasks that share it wait for their turn. Its jobs, its socket's events and
/// its timer share one dispatch queue, so that nothing here is ever done on the shared pool of threads. A statement
/// is in flight as an `Operation`; a cancelled task, `cancel()` or the timeout sends a cancel request, and a server
/// that does not answer that within 5 s loses the connection.
package actor Connection: Session {
  private nonisolated let backend: Atomic<Int32>
  package nonisolated let connectedAt: ContinuousClock.Instant
  nonisolated let socket: Socket
  nonisolated let options: ConnectionOptions

  package nonisolated var unownedExecutor: UnownedSerialExecutor { socket.executor.asUnownedSerialExecutor() }

  // The turn of the tasks that share the connection.
  private var isBusy = false
  private var queued: [CheckedContinuation<Void, Never>] = []

  // The operation in flight: see Connection+Wire.
  var operation: Operation?
  var operationCount = 0
  var cancelsInFlight = 0
  var waiter: CheckedContinuation<Void, Never>?
  var deadline: ContinuousClock.Instant?
  var alarm: ContinuousClock.Instant?
  var loss: PostgresError?
  var notifications: [Notification] = []

  // The state that the server keeps for the session.
  private lazy var sessionSettings = options.settingStatement(local: false)
  var cache = StatementCache()
  var transaction: OpenTransaction?
  var transactionCount = 0

  private init(socket: Socket, options: ConnectionOptions) {
    self.socket = socket
    self.options = options
    backend = Atomic(PQbackendPID(socket.pg))
    connectedAt = .now
  }

  /// The session's process on the server, as the session reports it: the one from a connection's start may be a proxy's
  /// invention. Where transactions are pooled, no process is the session's.
  package nonisolated var backendPID: Int32 { backend.load(ordering: .relaxed) }

  deinit {
    let socket = socket
    socket.queue.async { socket.close() }
  }

  /// Connects and sets up the session.
  ///
  /// Throws `connection` when no host could be reached, `usage` for a URL that cannot be read.
  package static func connect(_ options: ConnectionOptions) async throws(PostgresError) -> Connection {
    let connection = Connection(socket: try await Connector.open(options), options: options)
    do {
      try await connection.begin()
    } catch {
      await connection.close()
      throw error
    }
    return connection
  }

  /// False once the connection is lost or closed, or has been left inside of a transaction.
  package var isUsable: Bool {
    guard let pg = socket.pg else { return false }
    return PQstatus(pg) == CONNECTION_OK && (isBusy || transaction != nil || PQtransactionStatus(pg) == PQTRANS_IDLE)
  }

  /// False once the connection is lost or closed: of one at rest, which was usable before, this is all that can change.
  package nonisolated var isOpen: Bool { !socket.isClosed }

  package func query(_ statement: Statement) async throws(PostgresError) -> Rows {
    try await run([statement], in: nil)[0]
  }

  package func pipeline(_ statements: [Statement]) async throws(PostgresError) -> [Rows] {
    try await run(statements, in: nil)
  }

  package func script(_ sql: String) async throws(PostgresError) {
    try await runScript(sql, in: nil)
  }

  /// Asks the server to cancel what is running now, if anything.
  package func cancel() {
    cancelOperation(operation?.id, because: .request)
  }

  /// Closes the connection; what is running fails.
  package func close() {
    lose(PostgresError(.closed, "the connection has been closed"))
  }

  /// Makes a round trip; a server that does not answer in time loses the connection.
  package func check(within limit: Duration) async throws(PostgresError) {
    _ = try await run([Statement(raw: "")], in: nil, as: .internal, limit: limit)
  }

  private func begin() async throws(PostgresError) {
    watch()
    guard !options.poolsTransactions else { return }
    let replies = try await run(
      [sessionSettings, "SELECT pg_catalog.pg_backend_pid()"], in: nil, as: .internal,
      limit: options.connectTimeout)
    if let pid = try replies.last?.one(Int32.self) { backend.store(pid, ordering: .relaxed) }
  }

  /// Makes the session as it was when it had just been connected: nothing that was done in it is left.
  ///
  /// Not behind a proxy that pools transactions, where no session is this connection's.
  package func renew() async throws(PostgresError) {
    precondition(!options.poolsTransactions, "a session behind a proxy cannot be renewed")
    try await script("DISCARD ALL")
    cache.removeAll()
    _ = try await run([sessionSettings], in: nil, as: .internal)
  }

  func takeTurn() async {
    guard isBusy else {
      isBusy = true
      return
    }
    await withCheckedContinuation { queued.append($0) }
  }

  func passTurn() {
    if queued.isEmpty { isBusy = false } else { queued.removeFirst().resume() }
  }
}
