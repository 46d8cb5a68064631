import Postgres

/// A statement of a pipeline and how many rows it must touch.
struct Step {
  let statement: Statement
  /// Nil where the number says nothing.
  let rows: Int?

  init(_ statement: Statement, rows: Int?) {
    self.statement = statement
    self.rows = rows
  }

  /// Runs all in one round trip.
  ///
  /// Throws `SettlementError.written` where a statement did not touch exactly the rows it was meant to.
  @discardableResult
  static func run(_ steps: [Step], in transaction: Transaction) async throws -> [Rows] {
    let replies = try await transaction.pipeline(steps.map(\.statement))
    for (step, reply) in zip(steps, replies) where step.rows.map({ $0 != reply.affected }) ?? false {
      throw SettlementError(.written, "a settlement wrote \(reply.affected) rows where \(step.rows ?? 0) were decided")
    }
    return replies
  }

  /// Runs all in the round trip of COMMIT, where the server counts: other rows than those decided, and nothing is
  /// committed.
  static func runBeforeCommit(_ steps: [Step], in transaction: Transaction) {
    for step in steps { transaction.beforeCommit(step.checked) }
  }

  /// The statement, which the server refuses (P0004) where it touches other rows.
  var checked: Statement {
    guard let rows else { return statement }
    return """
      WITH written AS (\(fragment: statement) RETURNING 1)
      SELECT settled.expect_rows(count(*), \(Int64(rows))) FROM written
      """
  }
}
