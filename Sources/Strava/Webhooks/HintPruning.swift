import Postgres
import Scheduling

/// Deletes the hints of webhooks, every night, once they are older than 7 days.
///
/// A few go with each new hint. Where none comes, nothing else would delete them. Source: Strava.docc/Webhooks.md.
enum HintPruning {
  /// Returns how many hints it deleted.
  static let schedule = BuiltInSchedule("hint-pruning", cron: "55 3 * * *") { _, _, transaction in
    try await transaction.query(statement).one(Int64.self)
  }

  static let statement: Statement = "SELECT strava.prune_hints()"
}
