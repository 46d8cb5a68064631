import Postgres

/// What settling by an operator's command writes of its own.
enum SettlementStatements {
  /// Claims one race whether or not it is due, for an operator's command.
  static func lockOne(_ race: Int64) -> Statement {
    "\(fragment: status(of: race)) FOR NO KEY UPDATE"
  }

  static func status(of race: Int64) -> Statement {
    "SELECT status FROM racing.race WHERE id = \(race)"
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
