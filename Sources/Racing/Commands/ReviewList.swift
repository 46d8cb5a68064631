import Operations
import Postgres

/// `review list`: a page of what is open, as `racing.flagged` has it.
enum ReviewList {
  /// Each may come with ten flags of long notes.
  private static let pageMax: Int64 = 100

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? pageMax
    guard (1...pageMax).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit is 1 to \(pageMax)")
    }
    return try await transaction.query(statement(after: call.integer("after"), limit: limit)).one(JSON.self)
  }

  static func statement(after: Int64?, limit: Int64) -> Statement {
    "SELECT racing.flagged_page(\(after), \(limit)::integer)"
  }
}
