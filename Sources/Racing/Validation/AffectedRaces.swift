import Postgres

/// The races whose settlement or correction an activity's change may touch: entered by its athlete, its start inside.
///
/// Whoever changes an input of a settlement locks the activities first, then these races in id order
/// (Engine.docc/Locks.md, "Order"). `onlyWaiting`: of these only the races that wait for held activities.
enum AffectedRaces {
  static func lock(activities ids: [Int64], onlyWaiting: Bool = false) -> Statement {
    """
    SELECT r.id FROM racing.race AS r WHERE r.id IN (\(fragment: affected(ids, onlyWaiting: onlyWaiting)))
    ORDER BY r.id FOR NO KEY UPDATE OF r
    """
  }

  /// Races that wait for a held activity are looked at again at once.
  static func lookAgain(activities ids: [Int64]) -> Statement {
    """
    UPDATE racing.race AS r SET attend_at = r.due_at, waiting_activities = '{}'
    WHERE r.id IN (\(fragment: affected(ids))) AND r.status = 'ended' AND r.attend_at <> r.due_at
    """
  }

  /// 1. Locks the races that are free, without waiting.
  static func lockFree(_ ids: [Int64], onlyWaiting: Bool) -> Statement {
    "\(fragment: lock(activities: ids, onlyWaiting: onlyWaiting)) SKIP LOCKED"
  }

  /// 2. Every race with the activity it belongs to.
  static func pairs(_ ids: [Int64], onlyWaiting: Bool) -> Statement {
    affected(ids, onlyWaiting: onlyWaiting, columns: "t.id, a.id")
  }

  /// Locks the races that are free, without waiting; yields the activities that have others too.
  static func lockFree(
    activities ids: [Int64], onlyWaiting: Bool = false, in transaction: Transaction
  ) async throws -> Set<Int64> {
    let replies = try await transaction.pipeline([
      lockFree(ids, onlyWaiting: onlyWaiting), pairs(ids, onlyWaiting: onlyWaiting),
    ])
    let got: [Int64] = try replies[0].decode(Int64.self)
    let free = Set(got)
    var locked: Set<Int64> = []
    for (race, activity) in try replies[1].decode(Int64.self, Int64.self) where !free.contains(race) {
      locked.insert(activity)
    }
    return locked
  }

  private static func affected(
    _ ids: [Int64], onlyWaiting: Bool = false, columns: String = "t.id"
  ) -> Statement {
    """
    SELECT \(raw: columns) FROM racing.activity AS a JOIN racing.entry AS e ON e.athlete_id = a.athlete_id
      JOIN racing.race AS t ON t.id = e.race_id
    WHERE a.id = ANY(\(ids)) AND t.starts_at <= a.started_at AND a.started_at < t.ends_at
      AND \(raw: onlyWaiting ? "t.status = 'ended' AND t.attend_at <> t.due_at" : "t.status <> 'cancelled'")
    """
  }
}
