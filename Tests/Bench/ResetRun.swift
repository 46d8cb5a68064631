import Engine
import HostProcess
import HostClock
import Postgres
import TestSupport

/// The day of some zones closed once: how long after its end the last zone was committed.
struct ResetRun {
  var last: Double = 0
  var streaks: Int64 = 0
  var zones: Int64 = 0
  /// Processor time in milliseconds: the daemon's own, and that of the server's processes that worked for it.
  var processor: Double = 0
  var serverProcessor: Double = 0
  /// The rows that were written, as one digest.
  var digest = ""
}

extension ResetRun {
  /// By the daemon, asleep until its timer wakes it.
  static func daemon(_ cluster: BenchCluster, _ database: String, zones: [String]) async throws -> ResetRun {
    let owner = try await cluster.connect(database)
    // A daemon brings days to where the tz data have their ends when it meets a database, except where they are held.
    let holder = try await cluster.connect(database)
    try await holder.script("BEGIN; SELECT FROM checkins.zone FOR NO KEY UPDATE")
    let daemon = try await cluster.daemon(on: database, seenBy: owner)
    // The transaction that moves the days also stores the offsets of all zones. It may still run when the node rests.
    try await untilTrue("the offsets of all zones") {
      try await owner.query(
        """
        SELECT NOT EXISTS (SELECT FROM checkins.zone AS z
          WHERE NOT EXISTS (SELECT FROM settled.zone_future AS f WHERE f.zone = z.name))
        """
      ).one(Bool.self)
    }
    await holder.close()
    let due = try await makeDue(zones, owner, in: .seconds(3))
    let before = try ProcessUsage(pid: daemon.pid)
    let serverBefore = try await ProcessUsage.server(of: "settled", owner)
    let open: Statement = "SELECT count(*) FROM checkins.day"
    try await untilTrue("the closed days", within: .seconds(120)) {
      try await owner.query(open).one(Int64.self) == Int64(zones.count)
    }
    var run = ResetRun()
    run.processor = (try ProcessUsage(pid: daemon.pid).processor - before.processor) * 1000
    run.serverProcessor = try await ProcessUsage.server(of: "settled", owner) - serverBefore
    try await daemon.end()
    try await run.finish(owner, since: due)
    return run
  }

  /// By the statement written by hand, begun when the day has ended.
  static func statement(_ cluster: BenchCluster, _ database: String, zones: [String]) async throws -> ResetRun {
    let owner = try await cluster.connect(database)
    let due = try await makeDue(zones, owner, in: .milliseconds(500))
    let wait = try await owner.query("SELECT (1e6 * extract(epoch FROM \(due) - clock_timestamp()))::bigint")
      .one(Int64.self)
    try await Host.timekeeper.sleep(.microseconds(wait + 1000))
    // A session of its own, as fresh as the daemon's.
    let session = try await cluster.connect(database, user: "settled_daemon", application: "hand")
    let start = try await session.query("SELECT clock_timestamp()").one(Timestamp.self)
    try await session.execute(byHand)
    var run = ResetRun()
    run.serverProcessor = try await ProcessUsage.server(of: "hand", owner)
    try await run.finish(owner, since: start)
    await session.close()
    return run
  }

  /// The same reads and writes as one statement, written for this purpose.
  private static let byHand: Statement = """
    WITH clock AS MATERIALIZED (
      SELECT settled.clock() AS now
    ), due AS MATERIALIZED (
      SELECT z.* FROM checkins.zone AS z, clock AS c WHERE z.next_at <= c.now FOR NO KEY UPDATE OF z
    ), ended AS (
      UPDATE checkins.streak AS s SET ended_at = c.now FROM due AS d, clock AS c
      WHERE s.zone = d.name AND s.ends_on <= d.next_date AND s.ended_at IS NULL RETURNING s.zone
    ), streaks AS (
      SELECT zone, count(*) AS ended FROM ended GROUP BY zone
    ), taken AS (
      DELETE FROM checkins.tally AS t USING due AS d WHERE t.zone = d.name AND t.date = d.next_date
      RETURNING t.zone, t.checked_in
    ), tallies AS (
      SELECT zone, sum(checked_in)::bigint AS checked_in FROM taken GROUP BY zone
    ), closed AS (
      INSERT INTO checkins.day (zone, date, checked_in, streaks_ended, closed_at)
      SELECT d.name, d.next_date, coalesce(t.checked_in, 0), coalesce(s.ended, 0), c.now
      FROM clock AS c, due AS d LEFT JOIN streaks AS s ON s.zone = d.name LEFT JOIN tallies AS t ON t.zone = d.name
      RETURNING *
    ), told AS (
      INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
      SELECT 'day.closed', zone || ' ' || date, jsonb_build_object('zone', zone, 'date', date, 'checkedIn', checked_in,
        'streaksEnded', streaks_ended), closed_at FROM closed
    )
    UPDATE checkins.zone AS z SET next_date = n.dates[1], next_at = n.starts[2]
    FROM due AS d, LATERAL (
      SELECT array_agg(x.date ORDER BY x.date) AS dates, array_agg(x.start ORDER BY x.date) AS starts
      FROM (SELECT d.next_date + k AS date, settled.day_start(d.next_date + k, d.name) AS start
        FROM generate_series(1, 3) AS k) AS x
      WHERE x.start IS NOT NULL
    ) AS n WHERE z.name = d.name
    """

  /// Everything in memory, the log's cost the same for both: then the day of these zones ends.
  private static func makeDue(_ zones: [String], _ owner: Connection, in delay: Duration) async throws -> Timestamp {
    for table in ["zone", "tally", "profile", "streak"] {
      try await owner.execute("SELECT count(*) FROM checkins.\(raw: table)")
    }
    try await owner.script(
      "SET enable_seqscan = off; SELECT count(ends_on) FROM checkins.streak WHERE ended_at IS NULL AND zone > ''")
    try await owner.execute("CHECKPOINT")
    let soon = "\(delay / .seconds(1)) seconds"
    return try await owner.query(
      """
      WITH at AS (SELECT clock_timestamp() + \(soon)::text::interval AS due), due AS (
        UPDATE checkins.zone SET next_at = at.due FROM at WHERE name = ANY(\(zones)) RETURNING next_at
      )
      SELECT min(next_at) FROM due
      """
    ).one(Timestamp.self)
  }

  /// Instants of commits are the log's own.
  private mutating func finish(_ owner: Connection, since start: Timestamp) async throws {
    (last, zones, streaks, digest) = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM max(pg_xact_commit_timestamp(d.xmin)) - \(start))::double precision, count(*),
        sum(streaks_ended)::bigint, md5(string_agg(concat_ws(' ', d.zone, d.date, d.checked_in, d.streaks_ended), ' '
          ORDER BY d.zone)) || (SELECT md5(coalesce(string_agg(id::text, ' ' ORDER BY id), '')) FROM checkins.streak
          WHERE ended_at IS NOT NULL) || (SELECT md5(string_agg(concat_ws(' ', name, next_date), ' ' ORDER BY name))
          FROM checkins.zone) || (SELECT count(*) FROM checkins.tally)
      FROM checkins.day AS d
      """
    ).one(Double.self, Int64.self, Int64.self, String.self)
    await owner.close()
  }
}
