import Operations
import Postgres

/// `seasons verify`: totals and rewards against the ledger of points.
enum SeasonsVerification {
  /// A statement that is ended for its length is no fault of the database.
  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    do {
      return try await transaction.query("SELECT seasons.verify()").one(JSON.self)
    } catch  where error.verdict == .timeout {
      throw CommandError(
        .unavailable, rule: "timeout",
        "the ledger of points is too large for one request: run SELECT seasons.verify() as the owner of the schema")
    }
  }
}
