import Postgres

/// The statements of runs on `settled.occurrence`.
enum OccurrenceStatements {
  /// When the next run may begin: where one died, as soon as it is known to be dead.
  static func nextDue(knowing own: [String]) -> String {
    """
    SELECT min(due_at) FROM (
      SELECT o.due_at FROM settled.occurrence AS o JOIN settled.schedule AS s ON s.name = o.schedule
      WHERE o.status = 'planned' AND NOT s.paused AND \(canRun(own)) AND NOT EXISTS (
        SELECT FROM settled.occurrence AS r WHERE r.schedule = o.schedule AND r.status = 'running')
      UNION ALL SELECT settled.clock() + CASE WHEN \(isDead) THEN interval '0'
        ELSE d.claimed_at + interval '2.01 seconds' - clock_timestamp() END
      FROM settled.occurrence AS d WHERE d.status = 'running' AND settled.occurrence_backend(d.id) IS NULL
    ) AS runs
    """
  }

  /// Whether this program can run schedule `s`: an operator's, or one of its own. A newer node's is left to it, so that
  /// nodes can be upgraded one by one.
  private static func canRun(_ own: [String]) -> String {
    "(s.call IS NOT NULL OR s.name = ANY('{\(own.joined(separator: ","))}'))"
  }

  /// Whether the run of a row `d` that says running is over without a word: its node, or its server process, died.
  /// Between a claim and the lock of its transaction there is a moment, hence the 2 s.
  static let isDead = """
    d.claimed_at NOT BETWEEN clock_timestamp() - interval '2 seconds' AND clock_timestamp()
      AND settled.occurrence_backend(d.id) IS NULL
    """

  /// How often a run of an operator's function is begun whose session is lost each time.
  static let attemptsMax = 5

  /// Runs that died become planned again: what they did was rolled back with them. An operator's function that was begun
  /// too often has failed; one whose schedule is gone has nothing to run.
  static let revive: Statement = """
    UPDATE settled.occurrence AS o SET status = d.status,
      reason = CASE d.status WHEN 'skipped' THEN 'the schedule was removed'
        WHEN 'failed' THEN 'begun \(raw: String(attemptsMax)) times, and the session or its node was lost each time'
        ELSE o.reason END,
      finished_at = CASE WHEN d.status <> 'planned' THEN settled.clock() END,
      started_at = CASE WHEN d.status <> 'planned' THEN o.started_at END,
      node = CASE WHEN d.status <> 'planned' THEN o.node END, claimed_at = NULL, backend = NULL
    FROM (
      SELECT d.schedule, d.instant, CASE WHEN s.name IS NULL THEN 'skipped'
        WHEN s.call IS NOT NULL AND d.attempts >= \(raw: String(attemptsMax)) THEN 'failed' ELSE 'planned' END AS status
      FROM settled.occurrence AS d LEFT JOIN settled.schedule AS s ON s.name = d.schedule
      WHERE d.status = 'running' AND \(raw: isDead)
      FOR NO KEY UPDATE OF d SKIP LOCKED) AS d
    WHERE o.schedule = d.schedule AND o.instant = d.instant
    RETURNING o.schedule, o.instant, CASE WHEN o.status = 'failed' THEN o.reason END
    """

  /// Locks schedules that have a run to begin, the longest due first: runs of a schedule go one after the other.
  static func lock(_ limit: Int, knowing own: [String]) -> Statement {
    """
    SELECT s.name, s.call IS NULL FROM settled.schedule AS s CROSS JOIN LATERAL (\(raw: head)) AS d
    WHERE NOT s.paused AND \(raw: canRun(own)) AND d.due_at <= (SELECT settled.clock()) ORDER BY d.due_at LIMIT \(limit)
    FOR NO KEY UPDATE OF s SKIP LOCKED
    """
  }

  /// The first planned tick of schedule `s`, while none of it runs.
  private static let head = """
    SELECT o.due_at FROM settled.occurrence AS o
    WHERE o.schedule = s.name AND o.status = 'planned'
      AND NOT EXISTS (SELECT FROM settled.occurrence AS r WHERE r.schedule = s.name AND r.status = 'running')
    ORDER BY o.instant LIMIT 1
    """

  /// How many operators' runs could begin now, counted up to a limit.
  static func dueOfOperators(_ limit: Int) -> Statement {
    """
    SELECT count(*) FROM (
      SELECT FROM settled.schedule AS s CROSS JOIN LATERAL (\(raw: head)) AS d
      WHERE s.call IS NOT NULL AND NOT s.paused AND d.due_at <= (SELECT settled.clock()) LIMIT \(limit)) AS due
    """
  }

  /// How many of operators' schedules tick next, within a second of the very next tick of all.
  static let nextOfOperators: Statement = """
    SELECT count(*) FROM settled.schedule
    WHERE call IS NOT NULL AND NOT paused AND next_tick_at
      < (SELECT min(next_tick_at) FROM settled.schedule WHERE NOT paused) + interval '1 second'
    """

  /// Marks the first planned tick of each locked schedule as running, unless one still runs, and hands it to the server
  /// process that may end it, where it is an operator's.
  static func claim(_ schedules: [String], for backends: [Int32?], node: String, at now: Timestamp) -> Statement {
    """
    UPDATE settled.occurrence AS o
    SET status = 'running', reason = NULL, started_at = \(now), node = \(node), claimed_at = clock_timestamp(),
      attempts = o.attempts + 1, backend = c.backend
    FROM unnest(\(schedules), \(backends)) AS c(schedule, backend) JOIN settled.schedule AS s ON s.name = c.schedule
    WHERE o.schedule = s.name AND o.status = 'planned' AND o.due_at <= \(now)
      AND o.instant = (SELECT min(p.instant) FROM settled.occurrence AS p
        WHERE p.schedule = s.name AND p.status = 'planned')
      AND NOT EXISTS (SELECT FROM settled.occurrence AS r WHERE r.schedule = s.name AND r.status = 'running')
    RETURNING o.id, o.schedule, o.instant, s.call, (1e6 * extract(epoch FROM s.timeout))::bigint, o.claimed_at,
      (1e6 * extract(epoch FROM \(now) - o.due_at))::bigint, o.attempts::bigint, o.backend
    """
  }

  /// Ends a run of this node.
  static func end(_ run: ClaimedOccurrence, rows: Int64) -> Statement {
    """
    UPDATE settled.occurrence SET status = 'ran', finished_at = settled.clock(), rows = \(rows)
    WHERE \(fragment: isMine(run))
    """
  }

  /// Safe while its back end may still live: what it has not committed finds the row ended and cannot end it again.
  static func fail(_ run: ClaimedOccurrence, reason: String) -> Statement {
    """
    UPDATE settled.occurrence
    SET status = 'failed', finished_at = settled.clock(), reason = \(reason), backend = NULL
    WHERE \(fragment: isMine(run))
    """
  }

  /// What was begun without a session was not begun: the attempt is taken back, and `revive` makes it planned again.
  static func uncount(_ run: ClaimedOccurrence) -> Statement {
    """
    UPDATE settled.occurrence SET attempts = attempts - 1, reason = 'waits for a session' WHERE \(fragment: isMine(run))
    """
  }

  /// What stands in `problems` until a run succeeds, while there is such a schedule: in short, the row has all of it.
  static func tell(_ schedule: String, _ problem: String) -> Statement {
    let short = problem.count > 300 ? problem.prefix(300) + " ..." : problem
    return """
      INSERT INTO settled.problem AS p (name, problem, since)
      SELECT \(ProblemStatements.name(of: schedule)), \(short)::text || CASE WHEN s.at IS NULL THEN ''
        ELSE ' (it ticks once: schedule remove, or schedule add --replace)' END, settled.clock()
      FROM settled.schedule AS s WHERE s.name = \(schedule) FOR KEY SHARE
      ON CONFLICT (name) DO UPDATE SET problem = excluded.problem WHERE p.problem <> excluded.problem
      """
  }

  /// Held by the transaction of a run as long as it lives: see settled.occurrence_backend.
  static func hold(_ run: ClaimedOccurrence) -> Statement {
    "SELECT pg_advisory_xact_lock(1935961202, (\(run.id)::bigint % 2147483647)::integer)"
  }

  static func isMine(_ run: ClaimedOccurrence) -> Statement {
    """
    schedule = \(run.schedule) AND instant = \(run.instant) AND status = 'running' AND claimed_at = \(run.claimedAt)
    """
  }
}
