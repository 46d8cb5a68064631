internal import Synchronization

/// Leases connections to one database, at most `size` at a time.
///
/// Opened when wanted, checked after more than 30 s of rest, closed at `maximumAge`. Of those that rest for a minute
/// one is kept and the others are closed. Callers wait in order of arrival. After a failed connect the pool pauses (100
/// ms to 5 s); callers that would need a new connection meanwhile get the last error at once.
package actor Pool {
  /// How long a check may take.
  static let checkLimit: Duration = .seconds(5)

  private struct Resting {
    let connection: Connection
    let since: ContinuousClock.Instant
  }

  package nonisolated let options: ConnectionOptions
  private let greeting = Mutex<@Sendable (Connection) async throws(PostgresError) -> Void> { _ in }
  private let size: Int
  private let maximumAge: Duration?
  private let maximumRest: Duration
  private let spareRest: Duration
  /// The longest at rest first.
  private var idle: [Resting] = []
  /// Closes what rests for too long, while several rest.
  private var reaper: Task<Void, Never>?
  private var leased = 0
  /// The connections in use, those beside the pool among them.
  private var inUse: [ObjectIdentifier: Connection] = [:]
  private var queue: WaitingLine
  private var backoff = Pauses(.connecting)
  private var pause: (until: ContinuousClock.Instant, error: PostgresError)?
  private var connectsFailed = 0
  private var isClosed = false
  /// Nobody waits any more for leased connections.
  private var isCutOff = false
  private var closers: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - waitTimeout: how long a caller waits for a connection when all are in use.
  ///   - maximumAge: after how long a connection is closed; nil: never for its age.
  ///   - maximumWaiters: how many callers may wait; one more is refused at once.
  ///   - maximumRest: how long a connection may rest before it is checked when it is leased.
  ///   - spareRest: how long a connection may rest while another one does.
  package init(
    options: ConnectionOptions, size: Int, waitTimeout: Duration, maximumAge: Duration? = .seconds(1800),
    maximumWaiters: Int, maximumRest: Duration = .seconds(30), spareRest: Duration = .seconds(60)
  ) {
    precondition(size > 0, "a pool needs at least one connection")
    self.options = options
    self.size = size
    self.maximumAge = maximumAge
    self.maximumRest = maximumRest
    self.spareRest = spareRest
    queue = WaitingLine(limit: maximumWaiters, timeout: waitTimeout)
  }

  /// Checks each later connection before its first use, also those beside the pool; what it throws closes that one.
  nonisolated package func greet(_ check: @escaping @Sendable (Connection) async throws(PostgresError) -> Void) {
    greeting.withLock { $0 = check }
  }

  /// The new connection, after its greeting.
  nonisolated func greeted(_ connection: Connection) async throws(PostgresError) -> Connection {
    let greet = greeting.withLock { $0 }
    do {
      try await greet(connection)
      return connection
    } catch {
      await connection.close()
      throw error
    }
  }

  /// Leases a connection to `body`; it goes back, or is closed when it is of no more use.
  @discardableResult
  nonisolated(nonsending) package func withConnection<R: Sendable>(
    _ body: nonisolated(nonsending) (Connection) async throws -> R
  ) async throws -> R {
    let connection = try await lease()
    await note(connection)
    do {
      let value = try await body(connection)
      await release(connection)
      return value
    } catch {
      await release(connection)
      throw error
    }
  }

  /// Keeps a connection in mind, so that `close` can end it.
  func note(_ connection: Connection) async {
    inUse[ObjectIdentifier(connection)] = connection
    if isCutOff { await connection.close() }
  }

  func forget(_ connection: Connection) {
    inUse[ObjectIdentifier(connection)] = nil
    endClosing()
  }

  /// Runs a transaction on a leased connection: see `Connection.transaction`.
  @discardableResult
  nonisolated(nonsending) package func transaction<R: Sendable>(
    _ mode: Isolation = .readCommitted, readOnly: Bool = false, retries: Int = 0, commit: Bool = true,
    _ body: nonisolated(nonsending) (Transaction) async throws -> R
  ) async throws -> R {
    try await withConnection { connection in
      try await connection.transaction(mode, readOnly: readOnly, retries: retries, commit: commit, body)
    }
  }

  package var statistics: PoolStatistics {
    PoolStatistics(
      size: size, idle: idle.count, leased: leased, waiting: queue.count, connectsFailed: connectsFailed)
  }

  /// Closes resting connections, refuses waiting and new callers, and returns when the leased ones are back.
  ///
  /// Those that are not back within `limit` are closed: what runs on them fails.
  package func close(within limit: Duration? = nil) async {
    isClosed = true
    reaper?.cancel()
    queue.refuseAll(.poolClosed)
    let resting = idle
    idle = []
    for entry in resting { await entry.connection.close() }
    guard isInUse else { return }
    let timer = limit.map { limit in
      Task {
        if limit > .zero, (try? await Task.sleep(for: limit)) == nil { return }
        await cutOff()
      }
    }
    if isInUse { await withCheckedContinuation { closers.append($0) } }
    timer?.cancel()
  }

  /// Whether a connection is leased, or open beside the pool.
  private var isInUse: Bool { leased > 0 || !inUse.isEmpty }

  private func endClosing() {
    guard !isInUse else { return }
    for closer in closers { closer.resume() }
    closers = []
  }

  private func cutOff() async {
    isCutOff = true
    for connection in inUse.values { await connection.close() }
    for closer in closers { closer.resume() }
    closers = []
  }

  private func lease() async throws(PostgresError) -> Connection {
    if isClosed { throw .poolClosed }
    if Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled before it got a connection") }
    if queue.isEmpty, let entry = idle.popLast() {
      leased += 1
      return try await checked(entry)
    }
    if queue.isEmpty, leased < size {
      leased += 1
      return try await opened()
    }
    switch try await queueUp() {
    case .connection(let connection): return connection
    case .slot: return try await opened()
    }
  }

  /// The connection if it is still good, else a new one for its slot.
  private func checked(_ entry: Resting) async throws(PostgresError) -> Connection {
    var isGood = isYoung(entry.connection) && entry.connection.isOpen
    if isGood, entry.since.duration(to: .now) > maximumRest {
      do { try await entry.connection.check(within: Self.checkLimit) } catch { isGood = false }
    }
    if isGood { return entry.connection }
    await entry.connection.close()
    return try await opened()
  }

  /// A new connection for the caller's slot; the slot is free again when there is none.
  private func opened() async throws(PostgresError) -> Connection {
    do throws(PostgresError) {
      if isClosed { throw .poolClosed }
      if let pause, pause.until > .now { throw pause.error }
      let connection = try await greeted(Connection.connect(options))
      pause = nil
      backoff.succeed()
      return connection
    } catch {
      if error.code != .cancelled, error.code != .closed, pause.map({ $0.until <= .now }) ?? true {
        connectsFailed += 1
        pause = (.now + backoff.fail(), error)
      }
      vacate()
      throw error
    }
  }

  private func release(_ connection: Connection) async {
    forget(connection)
    guard !isClosed, await isGood(connection), !isClosed else {
      await connection.close()
      vacate()
      return
    }
    if queue.admit(.connection(connection)) { return }
    leased -= 1
    idle.append(Resting(connection: connection, since: .now))
    reapLater()
  }

  private func reapLater() {
    guard reaper == nil, !isClosed, idle.count > 1, let end = idle.first.map({ $0.since + spareRest }) else { return }
    reaper = Task { [weak self] in
      guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
      await self?.reap()
    }
  }

  private func reap() async {
    reaper = nil
    let old = idle.prefix { $0.since + spareRest <= .now }.prefix(max(0, idle.count - 1))
    idle.removeFirst(old.count)
    reapLater()
    for entry in old { await entry.connection.close() }
  }

  /// A place has become free: the first in the queue may open a connection.
  private func vacate() {
    if queue.admit(.slot) { return }
    leased -= 1
    endClosing()
  }

  private func isGood(_ connection: Connection) async -> Bool {
    guard isYoung(connection) else { return false }
    return await connection.isUsable
  }

  private func isYoung(_ connection: Connection) -> Bool {
    maximumAge.map { connection.connectedAt.duration(to: .now) < $0 } ?? true
  }

  private func queueUp() async throws(PostgresError) -> WaitingLine.Grant {
    let (busy, waiting) = (size, queue.count)
    guard let ticket = queue.makeTicket() else {
      throw PostgresError(
        .poolExhausted, "all \(busy) connections are in use and \(waiting) callers are already waiting")
    }
    let timeout = queue.timeout
    let timer = Task {
      try await Task.sleep(for: timeout)
      let waited = timeout.milliseconds
      expire(ticket, PostgresError(.poolExhausted, "all \(busy) connections are in use; waited \(waited) ms"))
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { queue.enter(ticket, $0) }
    } onCancel: {
      Task { await expire(ticket, PostgresError(.cancelled, "the task was cancelled while waiting for a connection")) }
    }
    return try result.get()
  }

  private func expire(_ ticket: Int, _ error: PostgresError) {
    queue.leave(ticket, error)
  }
}

extension PostgresError {
  fileprivate static let poolClosed = PostgresError(.closed, "the pool has been closed")
}
