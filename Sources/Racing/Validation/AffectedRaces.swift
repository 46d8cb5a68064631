import Postgres

/// The races whose settlement or correction an activity's change may touch: entered by its athlete, its start inside.
///
/// Whoever changes an input of a settlement locks the activities first, then these races in id order (design.md, Locks).
enum AffectedRaces {
  static func lock(activities ids: [Int64]) -> Statement {
    """
    SELECT r.id FROM racing.race AS r WHERE r.id IN (\(fragment: affected(ids))) ORDER BY r.id FOR NO KEY UPDATE OF r
    """
  }

  /// Races that wait for a held activity are looked at again at once.
  static func lookAgain(activities ids: [Int64]) -> Statement {
    """
    UPDATE racing.race AS r SET attend_at = r.due_at, waiting_activities = '{}'
    WHERE r.id IN (\(fragment: affected(ids))) AND r.status = 'ended' AND r.attend_at <> r.due_at
    """
  }

  private static func affected(_ ids: [Int64]) -> Statement {
    """
    SELECT t.id FROM racing.activity AS a JOIN racing.entry AS e ON e.athlete_id = a.athlete_id
      JOIN racing.race AS t ON t.id = e.race_id
    WHERE a.id = ANY(\(ids)) AND t.starts_at <= a.started_at AND a.started_at < t.ends_at
      AND t.status <> 'cancelled'
    """
  }
}
