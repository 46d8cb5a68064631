import Engine
import Postgres

enum LifecycleStatements {
  static func nextDue(job: String) -> String {
    let free = HeldBack.excluded(job: job, key: "r.id")
    return """
      SELECT least(
        (SELECT r.starts_at FROM racing.race AS r WHERE r.status = 'upcoming' AND \(free) ORDER BY r.starts_at LIMIT 1),
        (SELECT r.ends_at FROM racing.race AS r WHERE r.status = 'active' AND \(free) ORDER BY r.ends_at LIMIT 1))
      """
  }

  /// Every item with its instant, each part along an index of its own.
  static let schedule = [
    "SELECT starts_at, id FROM racing.race WHERE status = 'upcoming'",
    "SELECT ends_at, id FROM racing.race WHERE status = 'upcoming'",
    "SELECT ends_at, id FROM racing.race WHERE status = 'active'",
  ]

  static func lock(_ request: LockRequest<Int64>, job: String) -> Statement {
    """
    SELECT r.id FROM racing.race AS r
    WHERE (r.status = 'upcoming' AND r.starts_at <= \(raw: request.now) OR r.status = 'active' AND r.ends_at <= \(raw: request.now))
      AND \(fragment: request.condition(job: job, key: "r.id"))
    ORDER BY least(r.ends_at, CASE WHEN r.status = 'upcoming' THEN r.starts_at END), r.id
    LIMIT \(request.limit) \(raw: request.clause(of: "r"))
    """
  }

  static func races(_ ids: [Int64]) -> Statement {
    "SELECT id, starts_at, ends_at, due_at FROM racing.race WHERE id = ANY(\(ids)) AND status IN ('upcoming', 'active')"
  }

  static func update(_ changes: [LifecycleJob.Change]) -> Statement {
    """
    UPDATE racing.race AS r SET status = c.status
    FROM unnest(\(changes.map(\.race.id)), \(changes.map(\.status.rawValue))) AS c(id, status)
    WHERE r.id = c.id AND r.status <> c.status
    """
  }
}
