import Postgres

/// The statements of the clock guard.
enum ClockStatements {
  /// What a node must know when it meets a database.
  static func meeting(node: String) -> Statement {
    """
    SELECT coalesce((SELECT simulated FROM settled.installation), false), clock_timestamp(),
      (SELECT generation FROM settled.clock_acceptance), b.boot_id, b.boot_microseconds, b.database_at
    FROM (SELECT) AS one LEFT JOIN settled.clock_baseline AS b ON b.node = \(node)
    """
  }

  static func remember(_ baseline: ClockBaseline, node: String) -> Statement {
    """
    INSERT INTO settled.clock_baseline AS b (node, boot_id, boot_microseconds, database_at)
    VALUES (\(node), \(baseline.bootId), \(baseline.boot.microseconds), \(baseline.database))
    ON CONFLICT (node) DO UPDATE SET boot_id = excluded.boot_id, boot_microseconds = excluded.boot_microseconds,
      database_at = excluded.database_at
    """
  }

  /// Holds everything, and says so once for each hold.
  static func hold(node: String, difference: Duration) -> Statement {
    """
    WITH held AS (
      INSERT INTO settled.clock_hold AS h (node, since, difference_milliseconds)
      VALUES (\(node), clock_timestamp(), \(difference.microseconds / 1000))
      ON CONFLICT (node) DO UPDATE SET difference_milliseconds = excluded.difference_milliseconds
        WHERE h.difference_milliseconds <> excluded.difference_milliseconds
      RETURNING h.since, h.difference_milliseconds, xmax = 0 AS is_new
    )
    INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT 'clock.jumped', \(node), jsonb_build_object('node', \(node), 'differenceMs', difference_milliseconds), since
    FROM held WHERE is_new
    """
  }

  /// Moves what was left of back-offs along with a step that is accepted as right: rows that waited when it was seen
  /// neither fire at once nor wait for the step's length. Rows that were written by the new clock stay.
  static let shiftBackoff: Statement = """
    UPDATE settled.failure AS f SET last_at = f.last_at + h.step, next_attempt_at = f.next_attempt_at + h.step
    FROM (
      SELECT since, difference_milliseconds * interval '1 millisecond' AS step FROM settled.clock_hold
      ORDER BY since, node LIMIT 1
    ) AS h
    WHERE NOT f.quarantined AND f.dropped_at IS NULL
      AND f.last_at <= h.since - h.step AND f.next_attempt_at > h.since - h.step
    """

  static func release(node: String) -> Statement {
    "DELETE FROM settled.clock_hold WHERE node = \(node)"
  }
}
