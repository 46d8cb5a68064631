import Postgres
import TestSupport

/// `deploy/bench reads`: how long 1,000 reads take that are asked for at one instant.
struct ReadsBench {
  let repetitions: Int

  private static let athletes = 100
  private static let each = 10
  private static let limit = 10_000
  /// Calls in hand at once reach the provider in any order.
  private static let parallel = 4

  func run() async throws -> Report {
    try await BenchCluster.with { cluster in
      var report = Report()
      for repetition in 1...repetitions {
        note("reads: repetition \(repetition) of \(repetitions)")
        try await read(on: cluster, into: &report)
      }
      return report
    }
  }

  private func read(on cluster: BenchCluster, into report: inout Report) async throws {
    let world = try await TokensWorld(cluster, "reads")
    let daemon = try await world.daemon()
    _ = try await world.time { try await world.connect(Self.athletes) }
    for limit in ["strava.read_limit_15min", "strava.read_limit_day", "strava.limit_15min", "strava.limit_day"] {
      try await world.owner.execute("SELECT settled.set(\(limit), \("\(Self.limit)"))")
    }
    let limits = ProviderSettings.Limits(Self.limit, Self.limit)
    try await world.provider.configure(ProviderSettings(limits: limits, readLimits: limits))
    let start = ContinuousClock.now
    try await world.owner.execute(
      """
      SELECT strava.ask_activity(athlete, athlete * 100 + n, clock_timestamp() + interval '1 day',
        CASE WHEN n = 10 THEN 0 ELSE 1 END)
      FROM generate_series(1, \(Int64(Self.athletes))) AS athlete, generate_series(1, \(Int64(Self.each))) AS n
      """)
    try await untilTrue("the end of all reads", within: .seconds(600)) {
      try await world.owner.query("SELECT NOT EXISTS (SELECT FROM strava.read_request)").one(Bool.self)
    }
    report.add("1,000 reads", "s", start.duration(to: .now) / .seconds(1), target: 60)
    let late = try await world.provider.reads().prefix(Self.athletes).filter { !$0.path.hasSuffix("10") }.count
    guard late <= Self.parallel else { throw BenchError("\(late) other reads went before those for results") }
    try await world.end(daemon)
  }
}
