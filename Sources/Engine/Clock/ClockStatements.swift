package import Postgres

/// The statements of the clock guard.
package enum ClockStatements {
  /// The facts that a node needs when it connects to a database.
  static func meeting(node: String) -> Statement {
    """
    SELECT coalesce((SELECT simulated FROM settled.installation), false) AS simulated, b.*
    FROM (SELECT) AS one LEFT JOIN settled.clock_baseline AS b ON b.node = \(node)
    """
  }

  /// Whether the clock is simulated, and the baseline of a `meeting`.
  static func met(_ rows: Rows) throws(PostgresError) -> (isSimulated: Bool, remembered: ClockBaseline?) {
    try rows.decodeOne { (row) throws(PostgresError) in
      let isRemembered = try row["node"] as String? != nil
      return (isSimulated: try row["simulated"], remembered: isRemembered ? try ClockBaseline(row) : nil)
    }
  }

  /// SQL of one row, the records of the clocks: see `ClockRecord.init`. A stop is 0 if it binds all nodes, 1 if it is
  /// lifted, 2 if it is accepted.
  static let record = """
    SELECT a.generation, a.accepted_milliseconds, a.baselines, s.nodes, s.differences, s.agreed, s.states
    FROM settled.clock_acceptance AS a, (
      SELECT coalesce(array_agg(node ORDER BY node), '{}') AS nodes,
        coalesce(array_agg(difference_milliseconds ORDER BY node), '{}') AS differences,
        coalesce(array_agg(agreed ORDER BY node), '{}') AS agreed,
        coalesce(array_agg(CASE WHEN accepted THEN 2 WHEN lifted THEN 1 ELSE 0 END::bigint ORDER BY node), '{}') AS states
      FROM settled.clock_hold) AS s
    """

  /// Establishes a baseline under the next number; returns the number.
  static func establish(_ baseline: ClockBaseline, node: String) -> Statement {
    """
    WITH counted AS (UPDATE settled.clock_acceptance SET baselines = baselines + 1 RETURNING baselines)
    INSERT INTO settled.clock_baseline AS b (node, boot_id, boot_microseconds, database_at, established, agreed,
      acceptances, accepted_milliseconds, host_milliseconds)
    SELECT \(node), \(baseline.bootId), \(baseline.boot.microseconds), \(baseline.database), c.baselines,
      \(baseline.agreed), \(baseline.acceptances), \(baseline.accepted.milliseconds), \(baseline.host.milliseconds)
    FROM counted AS c
    ON CONFLICT (node) DO UPDATE SET boot_id = excluded.boot_id, boot_microseconds = excluded.boot_microseconds,
      database_at = excluded.database_at, established = excluded.established, agreed = excluded.agreed,
      acceptances = excluded.acceptances, accepted_milliseconds = excluded.accepted_milliseconds,
      host_milliseconds = excluded.host_milliseconds
    RETURNING b.established
    """
  }

  static func remember(_ baseline: ClockBaseline, node: String) -> Statement {
    """
    UPDATE settled.clock_baseline SET boot_microseconds = \(baseline.boot.microseconds),
      database_at = \(baseline.database), agreed = \(baseline.agreed), acceptances = \(baseline.acceptances),
      accepted_milliseconds = \(baseline.accepted.milliseconds), host_milliseconds = \(baseline.host.milliseconds)
    WHERE node = \(node) AND boot_id = \(baseline.bootId)
    """
  }

  static func forget(node: String) -> Statement {
    "DELETE FROM settled.clock_baseline WHERE node = \(node)"
  }

  /// Stops everything, and adds one event for each stop. A lifted stop binds all nodes again when its node sees the
  /// clock jump further; an accepted one stays accepted until its node has noticed.
  static func stop(node: String, bootId: String, difference: Duration, agreed: Int64) -> Statement {
    """
    WITH held AS (
      INSERT INTO settled.clock_hold AS h (node, boot_id, since, difference_milliseconds, agreed)
      VALUES (\(node), \(bootId), clock_timestamp(), \(difference.milliseconds), \(agreed))
      ON CONFLICT (node) DO UPDATE SET boot_id = excluded.boot_id,
        difference_milliseconds = excluded.difference_milliseconds,
        lifted = h.lifted AND abs(excluded.difference_milliseconds - h.difference_milliseconds)
          <= \(ClockJudge.jumpMax.milliseconds)
        WHERE NOT h.accepted
      RETURNING h.since, h.difference_milliseconds, xmax = 0 AS is_new
    )
    INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT 'clock.jumped', \(node), jsonb_build_object('node', \(node), 'differenceMs', difference_milliseconds), since
    FROM held WHERE is_new
    """
  }

  static func release(node: String) -> Statement {
    "DELETE FROM settled.clock_hold WHERE node = \(node)"
  }

  static func lift(node: String) -> Statement {
    "UPDATE settled.clock_hold SET lifted = true WHERE node = \(node) AND NOT accepted"
  }

  /// The active stops, as operators see them.
  package static let standing: Statement = """
    SELECT coalesce(jsonb_agg(jsonb_build_object('node', node, 'since', settled.iso(since),
      'differenceMs', difference_milliseconds) ORDER BY node), '[]') FROM settled.clock_hold WHERE NOT accepted
    """

  /// SQL of the oldest stop that binds all nodes. That of a node that is away may be older than the last jump, so it
  /// comes last.
  private static let first = """
    FROM settled.clock_hold AS s WHERE NOT s.lifted AND NOT s.accepted
    ORDER BY EXISTS (SELECT FROM settled.node AS n WHERE n.node = s.node AND \(NodeStatements.lives)) DESC, s.since, s.node
    LIMIT 1
    """

  /// The consequences of an operator's acceptance, in this order: the remaining back-offs are shifted, the difference
  /// is counted for nodes that have not seen it, and each stop waits until its node notices.
  ///
  /// The lock waits for nodes that are writing their stops. Later ones wait for the acceptance, so the two do not
  /// deadlock.
  package static let accept: [Statement] = [
    shiftBackoff,
    "LOCK TABLE settled.clock_hold IN SHARE ROW EXCLUSIVE MODE",
    """
    UPDATE settled.clock_acceptance SET generation = generation + 1, accepted_milliseconds = accepted_milliseconds
      + coalesce((SELECT difference_milliseconds \(raw: first)), 0)
    """,
    "UPDATE settled.clock_hold SET accepted = true",
  ]

  /// Shifts the remaining back-offs by a step that was accepted as right: rows that waited when it was seen neither
  /// become due immediately nor wait for the step's length. Rows written by the new clock are not shifted.
  private static let shiftBackoff: Statement = """
    UPDATE settled.failure AS f SET last_at = f.last_at + h.step, next_attempt_at = f.next_attempt_at + h.step
    FROM (SELECT since, difference_milliseconds * interval '1 millisecond' AS step \(raw: first)) AS h
    WHERE NOT f.quarantined AND f.dropped_at IS NULL
      AND f.last_at <= h.since - h.step AND f.next_attempt_at > h.since - h.step
    """
}
