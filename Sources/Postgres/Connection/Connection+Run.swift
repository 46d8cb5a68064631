internal import CLibpq
internal import Dispatch
internal import Glibc

/// Running statements: one round trip in pipeline mode, for any number of them.
extension Connection {
  /// The rows of `statements` and `closing`; the opening of a transaction goes before its first statement.
  func run(
    _ statements: [Statement], in scope: Int?, as source: StatementSource = .user, closing: [Statement] = [],
    limit: Duration? = nil
  ) async throws(PostgresError) -> [Rows] {
    guard !(statements.isEmpty && closing.isEmpty) else { return [] }
    await takeTurn()
    defer { passTurn() }
    let isAlone = scope == nil && source == .user && options.poolsTransactions
    let opening = isAlone ? beginning(.readCommitted, readOnly: false) : transaction?.opening ?? []
    let batch = Batch(opening: opening, statements: statements, closing: isAlone ? ["COMMIT"] : closing)
    try admit(batch.all, scope, source)
    do {
      let rows = try await send(batch, source, limit)
      return isAlone ? rows.dropLast() : rows
    } catch {
      if isAlone { await rollBackAlone() }
      guard forget(error), scope == nil else { throw error }
      return try await send(batch, source, limit)
    }
  }

  /// Ends the failed transaction of a single statement; a connection that cannot is closed.
  private func rollBackAlone() async {
    guard let pg = socket.pg, PQtransactionStatus(pg) != PQTRANS_IDLE else { return }
    do {
      _ = try await send(Batch(closing: ["ROLLBACK"]), .control, nil)
    } catch {
      lose(error)
    }
  }

  private func send(_ batch: Batch, _ source: StatementSource, _ limit: Duration?) async throws(PostgresError) -> [Rows]
  {
    defer { noteOpening(of: batch) }
    let rows = try await operate(source, limit) { connection throws(PostgresError) in
      try await connection.exchange(batch, source)
    }
    return Array(rows.dropFirst(batch.opening.count))
  }

  /// A transaction that the server did not open takes no further statement.
  private func noteOpening(of batch: Batch) {
    guard !batch.opening.isEmpty, let pg = socket.pg else { return }
    transaction?.opening = []
    guard PQtransactionStatus(pg) == PQTRANS_IDLE, transaction?.failure == nil else { return }
    transaction?.failure = PostgresError(.usage, "the server did not begin the transaction", sqlState: "25P01")
  }

  func runScript(_ sql: String, in scope: Int?) async throws(PostgresError) {
    await takeTurn()
    defer { passTurn() }
    guard scope != nil || !options.poolsTransactions else {
      throw PostgresError(.usage, "behind a proxy that pools transactions, a script needs a transaction")
    }
    let opening = Batch(opening: transaction?.opening ?? [])
    try admit(opening.all + [Statement(raw: sql)], scope, .user)
    if !opening.all.isEmpty { _ = try await send(opening, .control, nil) }
    try await operate(.user, nil) { connection throws(PostgresError) in try await connection.exchange(script: sql) }
  }

  /// Makes an operation of `body`, which a cancelled task interrupts.
  private func operate<R: Sendable>(
    _ source: StatementSource, _ limit: Duration?,
    _ body: (isolated Connection) async throws(PostgresError) -> R
  ) async throws(PostgresError) -> R {
    if Task.isCancelled, source != .control { throw PostgresError(.cancelled, "the task was already cancelled") }
    operationCount += 1
    let id = operationCount
    let serverLimit = options.statementTimeout == .zero ? nil : options.statementTimeout + options.answerGrace
    operation = Operation(
      id: id, limit: limit ?? serverLimit, isFinal: limit != nil, began: .now)
    let result = await withTaskCancellationHandler {
      do throws(PostgresError) {
        return Result<R, PostgresError>.success(try await body(self))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      guard source != .control else { return }
      socket.queue.async { self.assumeIsolated { $0.cancelOperation(id, because: .task) } }
    }
    operation = nil
    setDeadline(nil)
    if cancelsInFlight > 0 { await settleCancels() }
    options.onRoundTrip?()
    return try result.get()
  }

  /// Checks the rules of this module and asks the test's hook.
  func admit(_ statements: [Statement], _ scope: Int?, _ source: StatementSource) throws(PostgresError) {
    if socket.isClosed { throw loss ?? .lost }
    guard scope == transaction?.id else {
      throw PostgresError(
        .usage, scope == nil ? "a transaction is open: use it, or another connection" : "the transaction has ended")
    }
    if source == .user, let failure = transaction?.failure { throw failure }
    for statement in statements {
      guard statement.binds.count <= UInt16.max else {
        throw PostgresError(.usage, "at most 65535 bind values are allowed")
      }
      guard !statement.sql.hasNUL else { throw PostgresError(.usage, "the statement contains a NUL byte") }
      try ask(statement, source)
    }
  }

  private func ask(_ statement: Statement, _ source: StatementSource) throws(PostgresError) {
    guard source != .internal, let hook = options.beforeStatement else { return }
    do {
      try hook(statement)
    } catch {
      let failure = error as? PostgresError ?? PostgresError(.injected, "an injected failure", sqlState: "57P01")
      if failure.verdict == .connection { lose(failure) } else { transaction?.failure = failure }
      throw failure
    }
  }

  /// Drops what the server no longer has prepared; true when the statement may be run again.
  ///
  /// A table that changed its columns, or a proxy or `DISCARD ALL` that dropped the session's statements.
  private func forget(_ error: PostgresError) -> Bool {
    guard options.preparedStatements, cache.count > 0, let pg = socket.pg else { return false }
    guard error.isOutdatedPlan || error.sqlState == "26000" else { return false }
    if error.isOutdatedPlan { cache.retireAll() } else { cache.removeAll() }
    return PQtransactionStatus(pg) == PQTRANS_IDLE
  }
}

extension String {
  /// Whether it has a byte 0. Asked of each statement, so by the quick function of the C library.
  fileprivate var hasNUL: Bool {
    var text = self
    return text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
  }
}
