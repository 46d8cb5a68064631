import Engine
import HostProcess
import HostClock
import Postgres
import TestSupport

/// `deploy/bench schedules`: how many SQL schedules that tick at one instant run in a second.
struct SchedulesBench {
  let repetitions: Int

  static let ticks = 200

  /// How many schedules there are, and partitions of their history.
  struct Size {
    let schedules: Int
    let partitions: Int

    var label: String { "\(schedules) schedules, \(partitions) partitions" }
  }

  private static let sizes = [
    Size(schedules: 200, partitions: 3), Size(schedules: 5000, partitions: 3), Size(schedules: 5000, partitions: 20),
  ]

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    for size in Self.sizes {
      try await cluster.make("schedules")
      let owner = try await cluster.connect("schedules")
      try await Self.prepare(size, owner)
      let daemon = try await cluster.daemon(on: "schedules", seenBy: owner)
      for repetition in 1...repetitions {
        note("\(size.label): repetition \(repetition) of \(repetitions)")
        let lateness = try await Self.herd(repetition, of: Self.ticks, owner).sorted()
        let seconds = (lateness.last ?? 0) / 1000
        // Reported as the time for a run, so that less is better.
        report.add(
          "\(size.label): time for each of \(Self.ticks) runs", "ms", seconds * 1000 / Double(Self.ticks), target: 5)
        report.add("\(size.label): first commit", "ms", lateness.first ?? 0)
      }
      try await daemon.end()
      await owner.close()
    }
    return report
  }

  /// Schedules that tick once a year, and a history of 20,000 occurrences for each partition.
  static func prepare(_ size: Size, _ owner: Connection) async throws {
    try await owner.execute("CREATE FUNCTION public.tick() RETURNS void LANGUAGE sql AS ''")
    try await owner.execute(
      """
      INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
      SELECT 'rest-' || n, '0 0 1 1 *', 'UTC', 'public.tick()', 'once', '5 minutes', '0', now(), now() + interval '99 days'
      FROM generate_series(1, \(size.schedules - Self.ticks)) AS n
      """)
    for month in 0..<size.partitions {
      let name = "settled.bench_\(month)"
      try await owner.script(
        """
        DO $$ DECLARE first timestamptz := timestamptz '2020-01-01Z' + \(month) * interval '1 month'; BEGIN
          EXECUTE format('CREATE TABLE \(name) PARTITION OF settled.occurrence FOR VALUES FROM (%L) TO (%L)',
            first, first + interval '1 month');
          INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, started_at, finished_at, node)
          SELECT 'rest-' || n % 5000, first + n * interval '1 minute', 'ran', first, first, first, first, 'bench'
          FROM generate_series(1, 20000) AS n;
        END $$
        """)
    }
    try await owner.execute("VACUUM (ANALYZE)")
  }

  /// Ticks at one instant; how late each was committed, in milliseconds.
  static func herd(_ number: Int, of ticks: Int, _ owner: Connection) async throws -> [Double] {
    try await owner.execute(
      """
      INSERT INTO settled.schedule (name, at, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
      SELECT \("herd-\(number)-")::text || n, at, 'UTC', 'public.tick()', 'once', '5 minutes', '0', cursor, at
      FROM generate_series(1, \(ticks)) AS n,
        (SELECT date_trunc('second', now()) AS cursor, date_trunc('second', now()) + interval '5 seconds' AS at) AS c
      """)
    let ran: Statement = """
      SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(xmin) - instant)::double precision
      FROM settled.occurrence WHERE schedule LIKE \("herd-\(number)-%") AND status = 'ran'
      """
    let end = ContinuousClock.now + .seconds(120)
    var lateness: [Double] = []
    repeat {
      try await Host.timekeeper.sleep(.seconds(2))
      lateness = try await owner.query(ran).decode(Double.self)
    } while lateness.count < ticks && ContinuousClock.now < end
    guard lateness.count == ticks else { throw BenchError("only \(lateness.count) ticks ran") }
    return lateness
  }
}
