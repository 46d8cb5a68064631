import Engine
import Postgres

/// When races are due, and the claim on them, by `settle_at`: ended ones at `attend_at`, and of any status those that are
/// marked.
enum SettlementStatements {
  static func nextDue(job: String) -> String {
    """
    SELECT r.settle_at FROM racing.race AS r
    WHERE r.settle_at IS NOT NULL AND \(HeldBack.excluded(job: job, key: "r.id")) ORDER BY r.settle_at LIMIT 1
    """
  }

  /// The same with races that have not ended: each by the few of its status, along their own indexes.
  static func planned(job: String) -> String {
    """
    SELECT least((\(nextDue(job: job))),
      (SELECT min(r.attend_at) FROM racing.race AS r WHERE r.status = 'active'),
      (SELECT min(r.attend_at) FROM racing.race AS r WHERE r.status = 'upcoming'))
    """
  }

  /// Every item with its instant, each part along an index of its own.
  static let schedule = [
    "SELECT attend_at, id FROM racing.race WHERE status IN ('upcoming', 'active')",
    "SELECT settle_at, id FROM racing.race WHERE settle_at IS NOT NULL",
  ]

  static func lock(_ request: LockRequest<Int64>, job: String) -> Statement {
    """
    SELECT r.id FROM racing.race AS r
    WHERE r.settle_at <= \(raw: request.now) AND \(fragment: request.condition(job: job, key: "r.id"))
    ORDER BY r.settle_at, r.id
    LIMIT \(request.limit) \(raw: request.clause(of: "r"))
    """
  }

  /// Claims one race whether or not it is due, for an operator's command.
  static func lockOne(_ race: Int64) -> Statement {
    "SELECT status FROM racing.race WHERE id = \(race) FOR NO KEY UPDATE"
  }

  /// An override before due_at makes the race due at its own instant, for good.
  static func dueNow(_ race: Int64, now: Timestamp) -> Statement {
    """
    UPDATE racing.race SET due_at = greatest(ends_at, least(due_at, \(now))), attend_at = greatest(ends_at, least(due_at, \(now)))
    WHERE id = \(race)
    """
  }

  static func hash(of input: RaceInput) -> Statement {
    "SELECT encode(sha256(convert_to(\(input.settlement.canonicalInput), 'UTF8')), 'hex')"
  }

  /// An operator settled or cancelled what the jobs could not.
  static func clearFailures(_ race: Int64) -> Statement {
    "DELETE FROM settled.failure WHERE job IN ('race-settlement', 'race-lifecycle') AND key = \(String(race))"
  }
}
