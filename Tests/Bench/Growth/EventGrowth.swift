import Figures
import Postgres

/// `deploy/bench growth-events`: an event's way to a position, and a page of events, by the events that are kept.
struct EventGrowth {
  let scale: GrowthScale

  private static let calls = 100

  func run() async throws -> Report {
    try await scale.report(of: "events", from: 1000, through: 10_000_000, bytesPerRow: 500) { events, cluster, report in
      try await cluster.make("events")
      let owner = try await cluster.connect("events")
      try await write(events, owner)
      for _ in scale.repetitions(at: events) {
        try await measure(events, owner, on: cluster, into: &report)
      }
      await owner.close()
    }
  }

  /// As if the daemon had numbered them one after the other.
  private func write(_ events: Int, _ owner: Connection) async throws {
    try await owner.execute("SELECT settled.emit('bench', 'first', '{}', clock_timestamp())")
    try await owner.execute("SELECT settled.number_events(1)")
    try await owner.execute(
      """
      INSERT INTO settled.event (position, topic, key, payload, occurred_at)
      SELECT c.last_position + n, 'race.settled', n::text, jsonb_build_object('race', n, 'pool', 9900), clock_timestamp()
      FROM settled.event_counter AS c, generate_series(1, \(Int64(events))) AS n
      """)
    try await owner.execute("UPDATE settled.event_counter SET last_position = last_position + \(Int64(events))")
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
  }

  private func measure(
    _ events: Int, _ owner: Connection, on cluster: BenchCluster, into report: inout Report
  ) async throws {
    let daemon = try await cluster.connect("events", user: "settled_daemon")
    let reader = try await cluster.connect("events", user: "bench_app")
    var (numbered, read): ([Double], [Double]) = ([], [])
    for call in 1...Self.calls {
      var start = ContinuousClock.now
      try await daemon.execute("SELECT settled.emit('bench', 'key', '{}', clock_timestamp())")
      try await daemon.execute("SELECT settled.number_events(100)")
      numbered.append(start.duration(to: .now) / .milliseconds(1))
      let after = try await owner.query(
        "SELECT (last_position - \(Int64(events / 2 + call)))::text FROM settled.event_counter"
      ).one(String.self)
      start = .now
      _ = try await reader.query("SELECT position FROM settled.events(\(after), 100)").decode(String.self)
      read.append(start.duration(to: .now) / .milliseconds(1))
    }
    await daemon.close()
    await reader.close()
    report.grow(
      "event written and numbered", "ms", numbered.sorted().at(0.5), at: events, "events",
      target: GrowthScale.constant)
    report.grow(
      "page of 100 events", "ms", read.sorted().at(0.5), at: events, "events", target: GrowthScale.constant)
  }
}
