internal import Synchronization

/// The open transaction of a connection; of no use after the body that it was given to.
package struct Transaction: Session {
  package let connection: Connection
  let id: Int
  let last = LastStatements()

  package func query(_ statement: Statement) async throws(PostgresError) -> Rows {
    try await connection.run([statement], in: id)[0]
  }

  package func pipeline(_ statements: [Statement]) async throws(PostgresError) -> [Rows] {
    try await connection.run(statements, in: id)
  }

  package func script(_ sql: String) async throws(PostgresError) {
    try await connection.runScript(sql, in: id)
  }

  /// Runs a statement at the end of the body, in the round trip of COMMIT; where it fails, nothing is committed.
  ///
  /// For what nobody waits for before the end of the body. A dry run leaves it out.
  @discardableResult
  package func beforeCommit(_ statement: Statement) -> LastAnswer {
    last.append(statement)
  }
}

extension Transaction {
  /// Runs now what waits for COMMIT, so that a savepoint can undo it.
  package func runWaiting() async throws(PostgresError) {
    let waiting = last.take()
    guard !waiting.isEmpty else { return }
    for (entry, rows) in zip(waiting, try await pipeline(waiting.map(\.statement))) { entry.answer.set(rows) }
  }
}

/// The statements that run with COMMIT.
final class LastStatements: Sendable {
  private let entries = Mutex<[(statement: Statement, answer: LastAnswer)]>([])

  func append(_ statement: Statement) -> LastAnswer {
    let answer = LastAnswer()
    entries.withLock { $0.append((statement, answer)) }
    return answer
  }

  func take() -> [(statement: Statement, answer: LastAnswer)] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }

  var all: [Statement] { entries.withLock { $0.map(\.statement) } }

  func answer(_ rows: [Rows]) {
    entries.withLock { for (entry, rows) in zip($0, rows) { entry.answer.set(rows) } }
  }
}

/// The answer to a statement that runs with COMMIT: there once the transaction has committed.
package final class LastAnswer: Sendable {
  private let answer = Mutex<Rows?>(nil)

  package var rows: Rows? { answer.withLock { $0 } }

  func set(_ rows: Rows) { answer.withLock { $0 = rows } }
}
