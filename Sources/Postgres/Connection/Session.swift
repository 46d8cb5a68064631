/// Something that runs statements: a connection, or a transaction on one.
package protocol Session: Sendable {
  /// Runs one statement and returns its rows.
  func query(_ statement: Statement) async throws(PostgresError) -> Rows

  /// Runs all statements in one round trip; the first error is thrown, and those after it do not run.
  ///
  /// Outside of a transaction they are one: all take effect or none.
  func pipeline(_ statements: [Statement]) async throws(PostgresError) -> [Rows]

  /// Runs text of several statements without values, as migrations are; rows are dropped.
  func script(_ sql: String) async throws(PostgresError)
}

extension Session {
  /// Runs one statement and returns how many rows it affected.
  @discardableResult
  package func execute(_ statement: Statement) async throws(PostgresError) -> Int {
    try await query(statement).affected
  }
}
