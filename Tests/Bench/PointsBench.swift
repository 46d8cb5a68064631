import Daemon
import Figures
import Postgres
import TestSupport

/// `deploy/bench points`: sixteen callers earn as fast as they can, for one team or each for a team of its own.
struct PointsBench {
  let repetitions: Int

  private static let callers = 16
  private static let calls = 500
  private static let rewards = 20

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    try await cluster.make("points_team")
    let owner = try await cluster.connect("points_team")
    // A class for each year from 2031 on: a runner of it is on the roster of that year.
    try await owner.execute(
      """
      SELECT seasons.create_runner('Runner ' || n, (2034 + n)::int, 'UA', true, true) FROM generate_series(0, \(Int64(Self.callers - 1))) AS n
      """)
    await owner.close()
    for repetition in 1...repetitions {
      note("points: repetition \(repetition) of \(repetitions)")
      var rates: [Double] = []
      for isOneTeam in [true, false] {
        try await cluster.copy("points", from: "points_team")
        rates.append(try await earn(isOneTeam: isOneTeam, on: cluster, into: &report))
      }
      report.add("one team, beside a team for each caller: time for a call", "x", rates[1] / rates[0], target: 1.15)
    }
    return report
  }

  /// Calls a second.
  private func earn(isOneTeam: Bool, on cluster: BenchCluster, into report: inout Report) async throws -> Double {
    let owner = try await cluster.connect("points")
    if isOneTeam { try await owner.execute("UPDATE seasons.runner SET graduating_class = 2034") }
    try await owner.execute(
      """
      SELECT seasons.create_reward(jsonb_build_object('season', 'xc', 'year', to_char(2031 + y, 'FM0000'),
        'description', 'Reward', 'pointThreshold', n * \(Int64(Self.callers * Self.calls * 10 / Self.rewards)) / \(Int64(isOneTeam ? 1 : Self.callers)),
        'displayOrder', n))
      FROM generate_series(0, \(Int64(isOneTeam ? 0 : Self.callers - 1))) AS y, generate_series(1, \(Int64(Self.rewards))) AS n
      """)
    let daemon = try await cluster.daemon(on: "points", seenBy: owner)
    let started = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<Self.callers {
        group.addTask { try await Self.earn(Int64(caller), year: isOneTeam ? 2031 : 2031 + caller, on: cluster) }
      }
      try await group.waitForAll()
    }
    let elapsed = started.duration(to: .now) / .seconds(1)
    try await untilTrue("all rewards", within: .seconds(60)) {
      try await owner.query("SELECT NOT EXISTS (SELECT FROM seasons.reward WHERE achieved_date IS NULL)").one(Bool.self)
    }
    try await daemon.end()
    guard try await owner.query("SELECT (seasons.verify()->'differences')::text").one(String.self) == "[]" else {
      throw BenchError("the totals differ from the ledger")
    }
    if isOneTeam { try await delays(owner, into: &report) }
    await owner.close()
    let rate = Double(Self.callers * Self.calls) / elapsed
    report.add(isOneTeam ? "one team: calls a second" : "a team for each caller: calls a second", "1/s", rate)
    return rate
  }

  /// From the commit of the points that reached a reward to the commit that recorded it.
  private func delays(_ owner: Connection, into report: inout Report) async throws {
    let delays = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(w.xmin) - pg_xact_commit_timestamp(e.xmin))::double precision
      FROM seasons.reward AS w JOIN seasons.earning AS e ON e.occurred_at = w.achieved_date ORDER BY 1
      """
    ).decode(Double.self)
    report.add("points to reward p50", "ms", delays.at(0.5))
    report.add("points to reward max", "ms", delays.at(1), target: 1000)
  }

  private static func earn(_ caller: Int64, year: Int, on cluster: BenchCluster) async throws {
    let app = try await cluster.connect("points", user: "bench_app")
    for call in 0..<calls {
      _ = try await app.query(
        "SELECT seasons.earn_points(\(caller + 1), 'LIFTING', \("\(caller) \(call)"), 'xc', \("\(year)"))::text")
    }
    await app.close()
  }
}
