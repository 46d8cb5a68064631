import Postgres

/// A statement of a pipeline and how many rows it must touch.
struct CheckedStatement {
  let statement: Statement
  /// Nil where the number is not checked.
  let rows: Int?

  init(_ statement: Statement, rows: Int?) {
    self.statement = statement
    self.rows = rows
  }

  /// Runs all in one round trip.
  ///
  /// Throws `SettlementError.written` where a statement did not touch exactly the rows it was meant to.
  @discardableResult
  static func run(_ statements: [CheckedStatement], in transaction: Transaction) async throws -> [Rows] {
    let replies = try await transaction.pipeline(statements.map(\.statement))
    for (checked, reply) in zip(statements, replies) where checked.rows.map({ $0 != reply.affected }) ?? false {
      throw SettlementError(
        .written, "a settlement wrote \(reply.affected) rows, but \(checked.rows ?? 0) were expected")
    }
    return replies
  }

  /// Runs all in the round trip of COMMIT, where the server counts: other rows than those decided, and nothing is
  /// committed.
  static func runBeforeCommit(_ statements: [CheckedStatement], in transaction: Transaction) {
    for checked in statements { transaction.beforeCommit(checked.onServer) }
  }

  /// The statement, which the server refuses (P0004) where it touches other rows.
  var onServer: Statement {
    guard let rows else { return statement }
    return """
      WITH written AS (\(fragment: statement) RETURNING 1)
      SELECT settled.expect_rows(count(*), \(Int64(rows))) FROM written
      """
  }
}

/// The rule that a settlement finds broken: the transaction is rolled back and the race recorded as failing.
package struct SettlementError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The rows that were written are not those that were decided.
    case written
    /// Stored data breaks its own rules.
    case corrupt
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
