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
  /// For writes whose answer nobody waits for. A dry run leaves them out.
  package func beforeCommit(_ statement: Statement) {
    last.append(statement)
  }
}

/// What is to run with COMMIT.
final class LastStatements: Sendable {
  private let statements = Mutex<[Statement]>([])

  func append(_ statement: Statement) {
    statements.withLock { $0.append(statement) }
  }

  var all: [Statement] { statements.withLock { $0 } }
}
