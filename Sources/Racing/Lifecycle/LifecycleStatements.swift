import Engine
import Postgres

enum LifecycleStatements {
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
