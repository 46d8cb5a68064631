import Postgres
import TestSupport

/// `deploy/bench reset`: midnight in one zone of a large world, by the daemon and by one statement.
struct ResetBench {
  let profiles: Int
  let repetitions: Int

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    note("reset: writing \(profiles) people")
    try await cluster.make("people")
    let owner = try await cluster.connect("people")
    try await ResetWorld(profiles: profiles).write(owner)
    await owner.close()
    var report = Report()
    for repetition in 1...repetitions {
      note("reset: repetition \(repetition) of \(repetitions)")
      try await compare(on: cluster, into: &report)
      var perStreak: [String: Double] = [:]
      for zone in [ResetWorld.few, ResetWorld.many, ResetWorld.fresh] {
        let run = try await close([zone], on: cluster)
        add(run, zone, into: &report)
        perStreak[zone.name] = run.last / Double(run.streaks)
      }
      // A piece must cost the same however many were before it.
      if let few = perStreak[ResetWorld.few.name], let many = perStreak[ResetWorld.many.name] {
        report.add(
          "growth: a streak at \(ResetWorld.many.percent) % / at \(ResetWorld.few.percent) %", "x", many / few,
          target: 1.5)
      }
      try await cluster.copy("run", from: "people")
      let rest = try await others(on: cluster)
      let idle = try await ResetRun.daemon(cluster, "run", zones: rest)
      guard idle.streaks == 0 else { throw BenchError("\(idle.streaks) streaks ended where everybody had come") }
      report.add("nothing ends: \(rest.count) zones", "ms", idle.last)
      report.add("nothing ends: a zone", "ms", idle.last / Double(rest.count))
    }
    return report
  }

  /// The zones beside the large ones, but for those that have or reach a midnight of their own meanwhile.
  private func others(on cluster: BenchCluster) async throws -> [String] {
    let owner = try await cluster.connect("run")
    let names = try await owner.query(
      """
      SELECT name FROM checkins.zone WHERE name <> ALL(\(ResetWorld.large.map(\.name)))
        AND next_date = settled.local_date(clock_timestamp() + interval '5 minutes', name) - 1 ORDER BY name
      """
    ).decode(String.self)
    await owner.close()
    return names
  }

  private func close(_ zones: [ResetWorld.Zone], on cluster: BenchCluster) async throws -> ResetRun {
    try await cluster.copy("run", from: "people")
    if let fresh = zones.first(where: \.isFresh) {
      let owner = try await cluster.connect("run")
      try await ResetWorld.checkIn(fresh, owner)
      await owner.close()
    }
    return try await ResetRun.daemon(cluster, "run", zones: zones.map(\.name))
  }

  private func compare(on cluster: BenchCluster, into report: inout Report) async throws {
    try await cluster.copy("run", from: "people")
    let statement = try await ResetRun.statement(cluster, "run", zones: [ResetWorld.main.name])
    let daemon = try await close([ResetWorld.main], on: cluster)
    guard daemon.digest == statement.digest else { throw BenchError("the daemon and the statement differ") }
    report.add("one statement, \(ResetWorld.main.percent) % end", "ms", statement.last)
    add(daemon, ResetWorld.main, into: &report)
    report.add("last commit / statement", "x", daemon.last / statement.last, target: 1.3)
    report.add("processor: the daemon", "ms", daemon.processor)
    report.add("processor: its server", "ms", daemon.serverProcessor)
    report.add("processor: the statement", "ms", statement.serverProcessor)
  }

  private func add(_ run: ResetRun, _ zone: ResetWorld.Zone, into report: inout Report) {
    let name = "\(zone.percent) % end" + (zone.isFresh ? ", others came just before" : "")
    report.add("\(name): last commit", "ms", run.last)
    report.add("\(name): streaks ended", "", Double(run.streaks))
    report.add("\(name): a streak", "us", run.last * 1000 / Double(run.streaks))
  }
}
