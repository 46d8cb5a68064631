import Engine
import Postgres

/// When races are due, and the claim on them.
enum SettlementStatements {
  static func nextDue(job: String) -> String {
    """
    SELECT r.attend_at FROM racing.race AS r
    WHERE r.status = 'ended' AND \(HeldBack.excluded(job: job, key: "r.id")) ORDER BY r.attend_at LIMIT 1
    """
  }

  static func lock(_ request: LockRequest<Int64>, job: String) -> Statement {
    """
    SELECT r.id FROM racing.race AS r
    WHERE r.status = 'ended' AND r.attend_at <= \(request.now) AND \(fragment: request.condition(job: job, key: "r.id"))
    ORDER BY r.attend_at, r.id LIMIT \(request.limit) \(raw: request.clause(of: "r"))
    """
  }

  /// Claims one ended race whether or not it is due, for an operator's command.
  static func lockOne(_ race: Int64) -> Statement {
    "SELECT status FROM racing.race WHERE id = \(race) FOR NO KEY UPDATE"
  }
}
