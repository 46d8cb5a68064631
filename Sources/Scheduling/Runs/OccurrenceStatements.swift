import Engine
import Postgres

/// The statements of runs: `settled.run` has the planned and running ones, `settled.occurrence` their outcomes.
enum OccurrenceStatements {
  /// When the next run may start: if one died, as soon as its death is detected.
  static func nextDue(_ kind: RunKind) -> String {
    """
    SELECT min(due_at) FROM (
      (SELECT r.due_at FROM \(runs) WHERE \(free(kind)) ORDER BY r.due_at LIMIT 1)
      UNION ALL SELECT settled.clock() + CASE WHEN settled.row_holder(r.xmax) IS NOT NULL THEN NULL
        WHEN r.claimed_at BETWEEN clock_timestamp() - interval '2 seconds' AND clock_timestamp()
          THEN r.claimed_at + interval '2.01 seconds' - clock_timestamp() ELSE interval '0' END
      FROM settled.run AS r WHERE r.claimed_at IS NOT NULL AND \(kind.condition)
    ) AS next
    """
  }

  private static let runs = "settled.run AS r JOIN settled.schedule AS s ON s.name = r.schedule"

  /// The next run of each schedule, while none is running.
  private static func free(_ kind: RunKind) -> String {
    "r.is_first AND r.claimed_at IS NULL AND NOT s.paused AND \(kind.known)"
  }

  /// Locks the runs to start, the longest due first: two columns, schedule and instant.
  static func lock(_ limit: Int, _ kind: RunKind) -> Statement {
    """
    SELECT r.schedule, r.instant FROM \(raw: runs)
    WHERE \(raw: free(kind)) AND r.due_at <= (SELECT settled.clock())
    ORDER BY r.due_at LIMIT \(limit) FOR NO KEY UPDATE OF r SKIP LOCKED
    """
  }

  /// How many runs could start now, counted up to a limit.
  static func due(_ limit: Int, _ kind: RunKind) -> Statement {
    """
    SELECT count(*) FROM (SELECT FROM \(raw: runs)
      WHERE \(raw: free(kind)) AND r.due_at <= (SELECT settled.clock()) LIMIT \(limit)) AS due
    """
  }

  /// How many planned runs are due.
  static func overdue(_ kind: RunKind) -> Statement {
    """
    SELECT count(*) FROM settled.run AS r
    WHERE r.claimed_at IS NULL AND r.due_at <= settled.clock() AND \(raw: kind.known)
    """
  }

  /// How many of the operators' schedules tick within a second of the very next tick.
  static let nextOfOperators: Statement = """
    SELECT count(*) FROM settled.schedule
    WHERE call IS NOT NULL AND NOT paused AND next_tick_at
      < (SELECT min(next_tick_at) FROM settled.schedule WHERE NOT paused) + interval '1 second'
    """

  /// The server may lose the writes of planning and claiming, as if they had never happened: the commit of the
  /// following run also makes them durable.
  static let withoutFlush: Statement = "SET LOCAL synchronous_commit = off"

  /// Marks locked runs as running, and assigns each operator's run to the server process that may end it.
  ///
  /// The bounds make the planner read only the partitions of these instants.
  static func claim(_ keys: [RunKey], for backends: [Int32?], node: String, at now: Timestamp) -> Statement {
    """
    WITH claimed AS (
      UPDATE settled.run AS r SET started_at = \(now), claimed_at = clock_timestamp(), backend = c.backend
      FROM unnest(\(keys.map(\.schedule)), \(keys.map(\.instant)), \(backends)) AS c(schedule, instant, backend)
      WHERE r.schedule = c.schedule AND r.instant = c.instant
      RETURNING r.schedule, r.instant, r.claimed_at, r.backend
    )
    UPDATE settled.occurrence AS o
    SET status = 'running', reason = NULL, started_at = \(now), node = \(node), claimed_at = c.claimed_at,
      attempts = o.attempts + 1
    FROM claimed AS c JOIN settled.schedule AS s ON s.name = c.schedule
    WHERE o.schedule = c.schedule AND o.instant = c.instant AND o.status = 'planned' AND \(fragment: within(keys))
    RETURNING o.schedule, o.instant, s.call, (1e6 * extract(epoch FROM s.timeout))::bigint AS timeout, o.claimed_at,
      (1e6 * extract(epoch FROM \(now) - o.due_at))::bigint AS late, o.attempts::bigint AS attempt, c.backend
    """
  }

  private static func within(_ keys: [RunKey]) -> Statement {
    let instants = keys.map(\.instant)
    return "o.instant BETWEEN \(instants.min()) AND \(instants.max())"
  }

  /// Locks runs that ended without a result: their nodes, or their server processes, died. A moment passes between a
  /// claim and the lock of its transaction, hence the 2 s.
  static func dead(_ kind: RunKind) -> Statement {
    """
    SELECT r.schedule, r.instant FROM settled.run AS r
    WHERE r.claimed_at IS NOT NULL AND \(raw: kind.condition)
      AND r.claimed_at NOT BETWEEN clock_timestamp() - interval '2 seconds' AND clock_timestamp()
    FOR NO KEY UPDATE SKIP LOCKED
    """
  }

  /// How often a run of an operator's function is started if its session is lost each time.
  static let attemptsMax = 5

  /// Dead runs become planned again: their effects were rolled back. An operator's function that was started too often
  /// has failed; one whose schedule is gone has nothing to run. Runs that ended before are left out.
  static func revive(_ dead: [RunKey]) -> Statement {
    """
    UPDATE settled.occurrence AS o SET status = d.status,
      reason = CASE d.status WHEN 'skipped' THEN 'the schedule was removed'
        WHEN 'failed' THEN 'begun \(raw: String(attemptsMax)) times, and the session or its node was lost each time'
        ELSE o.reason END,
      finished_at = CASE WHEN d.status <> 'planned' THEN settled.clock() END,
      started_at = CASE WHEN d.status <> 'planned' THEN o.started_at END,
      node = CASE WHEN d.status <> 'planned' THEN o.node END, claimed_at = NULL
    FROM (
      SELECT o.schedule, o.instant, CASE WHEN s.name IS NULL THEN 'skipped'
        WHEN s.call IS NOT NULL AND o.attempts >= \(raw: String(attemptsMax)) THEN 'failed' ELSE 'planned' END AS status
      FROM unnest(\(dead.map(\.schedule)), \(dead.map(\.instant))) AS d(schedule, instant)
      JOIN settled.occurrence AS o ON o.schedule = d.schedule AND o.instant = d.instant
      LEFT JOIN settled.schedule AS s ON s.name = d.schedule
      WHERE o.status = 'running' AND \(fragment: within(dead))
    ) AS d
    WHERE o.schedule = d.schedule AND o.instant = d.instant AND \(fragment: within(dead))
    RETURNING o.schedule, o.instant, o.status, coalesce(o.reason, '') AS reason
    """
  }

  /// Makes runs free to be claimed again.
  static func release(_ keys: [RunKey]) -> Statement {
    """
    UPDATE settled.run AS r SET started_at = NULL, claimed_at = NULL, backend = NULL
    FROM unnest(\(keys.map(\.schedule)), \(keys.map(\.instant))) AS k(schedule, instant)
    WHERE r.schedule = k.schedule AND r.instant = k.instant
    """
  }

  /// Allows the next ticks of these runs' schedules to start.
  static func leave(_ keys: [RunKey]) -> Statement {
    """
    SELECT settled.leave_run(k.schedule, k.instant)
    FROM unnest(\(keys.map(\.schedule)), \(keys.map(\.instant))) AS k(schedule, instant)
    """
  }

  /// The same for a run whose server process may still be alive: then its lock is too, and `dead` finds it later.
  static func leaveIfOver(_ run: ClaimedOccurrence) -> Statement {
    """
    SELECT settled.leave_run(r.schedule, r.instant)
    FROM (SELECT schedule, instant FROM settled.run WHERE \(fragment: isOf(run)) FOR NO KEY UPDATE SKIP LOCKED) AS r
    """
  }

  /// Ends a run of this node.
  static func end(_ run: ClaimedOccurrence, rows: Int64) -> Statement {
    """
    UPDATE settled.occurrence SET status = 'ran', finished_at = settled.clock(), rows = \(rows)
    WHERE \(fragment: isMine(run))
    """
  }

  /// Safe while its back end may still be alive: an uncommitted transaction finds the row ended and cannot end it
  /// again.
  static func fail(_ run: ClaimedOccurrence, reason: String) -> Statement {
    """
    UPDATE settled.occurrence SET status = 'failed', finished_at = settled.clock(), reason = \(reason)
    WHERE \(fragment: isMine(run))
    """
  }

  /// A run without a session was not started: its attempt is undone, and `revive` makes it planned again.
  static func uncount(_ run: ClaimedOccurrence) -> Statement {
    """
    UPDATE settled.occurrence SET attempts = attempts - 1, reason = 'waits for a session' WHERE \(fragment: isMine(run))
    """
  }

  /// Reports a problem until a run succeeds, while the schedule exists. The text is short; the row has all of it.
  static func reportProblem(_ schedule: String, _ problem: String) -> Statement {
    let short = problem.count > 300 ? problem.prefix(300) + " ..." : problem
    return """
      INSERT INTO settled.problem AS p (name, problem, since)
      SELECT \(ProblemStatements.name(of: schedule)), \(short)::text || CASE WHEN s.at IS NULL THEN ''
        ELSE ' (it ticks once: schedule remove, or schedule add --replace)' END, settled.clock()
      FROM settled.schedule AS s WHERE s.name = \(schedule) FOR KEY SHARE
      ON CONFLICT (name) DO UPDATE SET problem = excluded.problem WHERE p.problem <> excluded.problem
      """
  }

  /// Takes the lock that proves that a run of the daemon's own is alive, in its transaction; no row if the run now
  /// belongs to another node.
  static func lockRun(_ run: ClaimedOccurrence) -> Statement {
    "SELECT true FROM settled.run WHERE \(fragment: isOf(run)) FOR NO KEY UPDATE"
  }

  /// The sessions that block the server process of a run, and whether the run continues after its timeout.
  static func obstacle(_ run: ClaimedOccurrence) -> Statement {
    """
    SELECT (\(fragment: LockHolders.named("pg_blocking_pids(settled.row_holder(r.xmax))"))),
      clock_timestamp() > r.claimed_at + \(run.timeout.microseconds)::bigint * interval '1 microsecond'
    FROM settled.run AS r WHERE \(fragment: isOf(run))
    """
  }

  /// The report of `obstacle` on a run no longer applies once the run has succeeded.
  static func forgive(_ run: ClaimedOccurrence) -> Statement {
    """
    DELETE FROM settled.problem WHERE name = \(ProblemStatements.name(of: run.schedule)) AND EXISTS (
      SELECT FROM settled.occurrence
      WHERE schedule = \(run.schedule) AND instant = \(run.instant) AND status = 'ran')
    """
  }

  private static func isOf(_ run: ClaimedOccurrence) -> Statement {
    "schedule = \(run.schedule) AND instant = \(run.instant) AND claimed_at = \(run.claimedAt)"
  }

  private static func isMine(_ run: ClaimedOccurrence) -> Statement {
    "\(fragment: isOf(run)) AND status = 'running'"
  }
}
