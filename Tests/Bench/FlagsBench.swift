import Daemon
import Figures
import Postgres
import TestSupport

/// `deploy/bench flags`: eight callers flag everything at once, and the daemon opens the reviews meanwhile.
struct FlagsBench {
  let repetitions: Int
  let activities: Int64

  private static let flagsOfEach: Int64 = 10
  private static let callers = 8
  /// One athlete in eight of a herd has no activity: those flag.
  private static let athletes = 11_430

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    try await cluster.make("flags_herd")
    let owner = try await cluster.connect("flags_herd")
    _ = try await Herd(races: 96, entries: 100, athletes: Self.athletes).write(owner, status: "active")
    try await owner.execute(
      """
      UPDATE racing.race SET ends_at = clock_timestamp() + interval '1 day', due_at = clock_timestamp()
        + interval '25 hours', next_check_at = clock_timestamp() + interval '25 hours'
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
    await owner.close()
    for repetition in 1...repetitions {
      note("flags: repetition \(repetition) of \(repetitions)")
      try await cluster.copy("flags", from: "flags_herd")
      try await flagAll(on: cluster, into: &report)
    }
    return report
  }

  private func flagAll(on cluster: BenchCluster, into report: inout Report) async throws {
    let owner = try await cluster.connect("flags")
    let daemon = try await cluster.daemon(on: "flags", seenBy: owner)
    let flags = try await owner.query(
      """
      SELECT a.id, 8 * (1 + (a.id * 7 + k * 131) % \(Int64(Self.athletes / 8)))
      FROM (SELECT id FROM racing.activity ORDER BY id LIMIT \(activities)) AS a,
        generate_series(1, \(Self.flagsOfEach)) AS k
      ORDER BY random()
      """
    ).decode(Int64.self, Int64.self)
    guard flags.count == Int(activities * Self.flagsOfEach) else { throw BenchError("\(flags.count) flags") }
    let started = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<Self.callers {
        let mine = stride(from: caller, to: flags.count, by: Self.callers).map { flags[$0] }
        group.addTask { try await Self.flag(mine, on: cluster) }
      }
      try await group.waitForAll()
    }
    let elapsed = started.duration(to: .now) / .seconds(1)
    try await untilTrue("all reviews", within: .seconds(60)) {
      try await owner.query("SELECT count(*) = \(activities) FROM racing.review").one(Bool.self)
    }
    try await daemon.end()
    let delays = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(r.xmin) - f.third)::double precision
      FROM racing.review AS r JOIN (
        SELECT activity_id, (array_agg(at ORDER BY at))[3] AS third
        FROM (SELECT activity_id, pg_xact_commit_timestamp(xmin) AS at FROM racing.flag) AS f GROUP BY activity_id
      ) AS f ON f.activity_id = r.activity_id
      ORDER BY 1
      """
    ).decode(Double.self)
    await owner.close()
    report.add("flags a second", "1/s", Double(flags.count) / elapsed)
    report.add("third flag to under_review p50", "ms", delays.at(0.5))
    report.add("third flag to under_review p99", "ms", delays.at(0.99), target: 1000)
    report.add("third flag to under_review max", "ms", delays.at(1))
  }

  private static func flag(_ flags: [(Int64, Int64)], on cluster: BenchCluster) async throws {
    let app = try await cluster.connect("flags", user: "bench_app")
    for (activity, athlete) in flags {
      _ = try await app.query("SELECT racing.flag_activity(\(activity), \(athlete), 'suspicious_speed')")
    }
    await app.close()
  }
}
