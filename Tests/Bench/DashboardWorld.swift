import HostClock
import HostProcess
import Postgres
import TestSupport

/// A database at size, with a daemon and the dashboard in front of it.
struct DashboardWorld {
  static let occurrences: Int64 = 100_000
  static let entries = 10_000
  static let reviews: Int64 = 2_000
  private static let athletes = 11_430

  let daemon: SettledProcess
  let page: DashboardProcess
  /// The race of 10,000 entries, and an activity under review.
  let race: Int64
  let activity: Int64

  init(_ cluster: BenchCluster) async throws {
    try await cluster.make("dashboard")
    let owner = try await cluster.connect("dashboard")
    _ = try await Herd(races: 96, entries: 100, athletes: Self.athletes).write(owner, status: "active")
    var large = Herd(races: 1, entries: Self.entries)
    large.hasVoidRaces = false
    let races = try await large.write(owner, status: "active")
    try await owner.execute(
      """
      UPDATE racing.race SET ends_at = clock_timestamp() + interval '1 day', due_at = clock_timestamp()
        + interval '25 hours', next_check_at = clock_timestamp() + interval '25 hours'
      """)
    try await Self.history(owner)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
    // The caller is the benchmark's own user, whose level is that of its group.
    let daemon = try await cluster.daemon(on: "dashboard", seenBy: owner, SettledProcess.adminsAreOurs)
    try await Self.flag(owner)
    try await untilTrue("all reviews", within: .seconds(120)) {
      try await owner.query("SELECT count(*) = \(Self.reviews) FROM racing.review").one(Bool.self)
    }
    let activity = try await owner.query("SELECT min(activity_id) FROM racing.review").one(Int64.self)
    await owner.close()
    let page = try await DashboardProcess(daemon.controlSocket)
    guard let race = races.first else { throw BenchError("there is no race of \(Self.entries) entries") }
    (self.daemon, self.page, self.race, self.activity) = (daemon, page, race, activity)
  }

  func end() async throws {
    page.process.terminate()
    guard try await page.process.exit() == .code(0) else {
      throw BenchError("the dashboard failed: \(page.process.errors.text)")
    }
    try await daemon.end()
  }

  /// A schedule that ticked each minute of the three months before this one, but for some days at their ends.
  private static func history(_ owner: Connection) async throws {
    try await owner.execute("CREATE FUNCTION public.tick() RETURNS void LANGUAGE sql AS ''")
    try await owner.execute(
      """
      INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
      VALUES ('busy', '0 0 1 1 *', 'UTC', 'public.tick()', 'once', '5 minutes', '0', now(), now() + interval '99 days')
      """)
    for month in 1...3 {
      try await owner.script(
        """
        DO $$ DECLARE
          first timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') - \(month) * interval '1 month')
            AT TIME ZONE 'UTC';
        BEGIN
          EXECUTE format('CREATE TABLE settled.bench_\(month) PARTITION OF settled.occurrence FOR VALUES FROM (%L) TO (%L)',
            first, (first AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
          INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, started_at, finished_at, node)
          SELECT 'busy', t.at, 'ran', t.at, t.at, t.at, t.at, 'bench'
          FROM generate_series(1, \(occurrences / 3 + 1)) AS n, LATERAL (SELECT first + n * interval '1 minute') AS t (at);
        END $$
        """)
    }
  }

  /// Three flags for each of the first activities, by athletes who have none.
  private static func flag(_ owner: Connection) async throws {
    try await owner.execute(
      """
      SELECT racing.flag_activity(a.id, 8 * (1 + (a.id * 7 + k * 131) % \(Int64(athletes / 8))), 'suspicious_speed')
      FROM (SELECT id FROM racing.activity ORDER BY id LIMIT \(reviews)) AS a, generate_series(1, 3) AS k
      """)
  }
}
