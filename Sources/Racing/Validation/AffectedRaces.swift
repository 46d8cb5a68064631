import Postgres

/// The races whose settlement or correction an activity's change may touch: entered by its athlete, its start inside.
///
/// A change of a settlement's input locks the activities first, then these races in id order (Engine.docc/Locks.md,
/// "Order"). `onlyWaiting` leaves out the races that wait for no held activity.
enum AffectedRaces {
  static func lock(activities ids: [Int64], onlyWaiting: Bool = false) -> Statement {
    """
    SELECT r.id FROM racing.race AS r WHERE r.id IN (\(fragment: affected(ids, onlyWaiting: onlyWaiting)))
    ORDER BY r.id FOR NO KEY UPDATE OF r
    """
  }

  /// Races that wait for a held activity are checked again at once.
  static func checkAgain(activities ids: [Int64]) -> Statement {
    "SELECT racing.check_again(ARRAY(\(fragment: affected(ids))))"
  }

  /// 1. Locks the races that are free, without waiting.
  static func lockFree(_ ids: [Int64], onlyWaiting: Bool) -> Statement {
    "\(fragment: lock(activities: ids, onlyWaiting: onlyWaiting)) SKIP LOCKED"
  }

  /// 2. Every race with the activity it belongs to.
  static func pairs(_ ids: [Int64], onlyWaiting: Bool) -> Statement {
    affected(ids, onlyWaiting: onlyWaiting, columns: "t.id, a.id")
  }

  /// Locks the races that are free, without waiting; returns the activities that have others too.
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
      AND \(raw: onlyWaiting ? "t.status = 'ended' AND t.next_check_at <> t.due_at" : "t.status <> 'cancelled'")
    """
  }
}
