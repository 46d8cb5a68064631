import Engine
import Postgres

enum LifecycleRows {
  static func races(_ ids: [Int64]) -> Statement {
    "SELECT id, starts_at, ends_at, due_at FROM racing.race WHERE id = ANY(\(ids)) AND status IN ('upcoming', 'active')"
  }

  static func update(_ races: [Lifecycle]) -> Statement {
    """
    UPDATE racing.race AS r SET status = c.status
    FROM unnest(\(races.map(\.race.raceId)), \(races.map(\.status.rawValue))) AS c(id, status)
    WHERE r.id = c.id AND r.status <> c.status
    """
  }

  /// The uploads of their athletes are fetched, where operators want it.
  static func requestImports(_ races: [Lifecycle]) -> [Statement] {
    let ended = races.filter { $0.status == .ended }.map(\.race.raceId)
    return ended.isEmpty ? [] : ["SELECT racing.request_imports(\(ended))"]
  }

  static func emit(_ races: [Lifecycle], at now: Timestamp) -> Statement {
    let ended = races.filter { $0.status == .ended }.map(\.race)
    return EventStatements.emit(
      topic: "race.ended", keys: ended.map { String($0.raceId) },
      payloads: ended.map { #"{"raceId": \#($0.raceId), "dueAt": "\#($0.dueAt)"}"# }, at: now)
  }
}

extension Lifecycle.Input {
  /// A row of `LifecycleRows.races`.
  init(_ row: Row) throws(PostgresError) {
    self.init(
      raceId: try row["id"], startsAt: try row["starts_at"], endsAt: try row["ends_at"], dueAt: try row["due_at"])
  }
}
