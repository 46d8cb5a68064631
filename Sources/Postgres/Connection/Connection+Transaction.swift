internal import CLibpq

/// Transactions: begin, body, commit or roll back, and the bounded repetition.
extension Connection {
  /// Runs `body` in a transaction and commits, or rolls back when it throws.
  ///
  /// `commit: false` is a dry run: always rolled back, but the value is still returned. After a serialization failure
  /// or deadlock the whole is repeated up to `retries` times, after a short random pause. A connection that is lost
  /// during COMMIT leaves the outcome unknown, and throws that error. A connection whose rollback fails is closed.
  @discardableResult
  nonisolated(nonsending) package func transaction<R: Sendable>(
    _ mode: Isolation = .readCommitted, readOnly: Bool = false, retries: Int = 0, commit: Bool = true,
    _ body: nonisolated(nonsending) (Transaction) async throws -> R
  ) async throws -> R {
    var attempt = 0
    while true {
      do {
        return try await once(mode, readOnly: readOnly, commit: commit, body)
      } catch let error as PostgresError where attempt < retries && error.isRepeatable {
        attempt += 1
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...(10 << min(attempt, 5)))))
      }
    }
  }

  nonisolated(nonsending) private func once<R: Sendable>(
    _ mode: Isolation, readOnly: Bool, commit: Bool,
    _ body: nonisolated(nonsending) (Transaction) async throws -> R
  ) async throws -> R {
    let transaction = try await beginTransaction(mode, readOnly: readOnly)
    let value: R
    do {
      value = try await body(transaction)
    } catch {
      await rollback(transaction)
      throw error
    }
    if commit { try await self.commit(transaction) } else { await rollback(transaction) }
    return value
  }

  /// Opens the transaction here; the server hears of it with the first statement, in the same round trip.
  private func beginTransaction(_ mode: Isolation, readOnly: Bool) async throws(PostgresError) -> Transaction {
    let statements = beginning(mode, readOnly: readOnly)
    if Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled before its transaction") }
    await takeTurn()
    defer { passTurn() }
    try admit([], nil, .control)
    transactionCount += 1
    transaction = OpenTransaction(id: transactionCount, isReadOnly: readOnly, opening: statements)
    return Transaction(connection: self, id: transactionCount)
  }

  /// The statements that begin a transaction.
  func beginning(_ mode: Isolation, readOnly: Bool) -> [Statement] {
    let access = readOnly ? "READ ONLY" : "READ WRITE"
    let begin = Statement(raw: "BEGIN ISOLATION LEVEL \(mode.rawValue) \(access)")
    return options.poolsTransactions ? [begin, options.settingStatement(local: true)] : [begin]
  }

  private func commit(_ ended: Transaction) async throws(PostgresError) {
    if let failure = transaction?.failure {
      await rollback(ended)
      throw failure
    }
    // A transaction without a statement has nothing to commit.
    let last = ended.last.all
    guard transaction?.opening.isEmpty == true || !last.isEmpty else {
      transaction = nil
      return
    }
    let wasOpen = !socket.isClosed
    let rows: [Rows]
    do {
      rows = try await run(last, in: ended.id, as: .control, closing: ["COMMIT"])
    } catch {
      await rollback(ended)
      guard wasOpen, error.code == .connection else { throw error }
      throw PostgresError(.connection, "\(error.message); whether the transaction was committed is unknown")
    }
    transaction = nil
    guard rows.last?.tag == "COMMIT" else {
      throw PostgresError(.usage, "a statement had failed, so COMMIT rolled the transaction back", sqlState: "25P02")
    }
    ended.last.answer(rows)
  }

  /// Never throws: a connection that cannot roll back is closed, which has the same effect.
  private func rollback(_ ended: Transaction) async {
    defer { transaction = nil }
    guard let pg = socket.pg, PQtransactionStatus(pg) != PQTRANS_IDLE else { return }
    do {
      _ = try await run([], in: ended.id, as: .control, closing: ["ROLLBACK"])
    } catch {
      lose(error)
    }
  }
}

extension PostgresError {
  /// Repeating the whole transaction may succeed at once.
  package var isRepeatable: Bool { sqlState == "40001" || sqlState == "40P01" || isOutdatedPlan }
}
