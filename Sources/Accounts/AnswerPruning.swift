import Postgres
import Scheduling

/// Deletes answers that the gateway kept for repeated requests, every night, once they are older than 30 days.
///
/// The gateway itself deletes a few with each keyed request. Where none comes, nothing else would.
/// Source: Gateway.docc/IdempotencyKeys.md.
enum AnswerPruning {
  static let name = "answer-pruning"

  /// Returns how many answers it deleted.
  static let schedule = BuiltInSchedule(name, cron: "50 3 * * *") { _, _, transaction in
    try await transaction.query(statement).one(Int64.self)
  }

  static let statement: Statement = "SELECT gateway.prune_answers()"
}
