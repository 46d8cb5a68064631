import Postgres
import TestSupport
import Testing

@Suite(
  "The former release beside this one",
  .enabled(if: FormerRelease.directory != nil, "SETTLED_FORMER_BIN names no programs: deploy/soak upgrade builds them"),
  .timeLimit(.minutes(20)))
struct UpgradeTests {
  @Test func `nodes and gateways are upgraded one by one under load, and no app sees an error`() async throws {
    let random = SeededGenerator()
    let world = try await UpgradeWorld(random)
    var campaign = UpgradeCampaign(world, random)
    try await campaign.begin()
    try await campaign.migrate()
    try await campaign.join()
    try await campaign.leave()
    let last = try await campaign.outlive()
    try await finish(world, last, "\(random)")
    try await campaign.end()
    await world.end()
  }

  /// All that was due is done, once; what was acknowledged is there; each tick is accounted for.
  private func finish(_ world: UpgradeWorld, _ node: SettledProcess, _ seed: String) async throws {
    for load in [world.racing, world.people] { await load.stop() }
    await world.web.stop()
    let open: Statement = """
      SELECT (SELECT count(*) FROM racing.race WHERE status <> 'settled' AND ends_at <= settled.clock())
        + (SELECT count(*) FROM racing.activity WHERE status = 'pending') + (SELECT count(*) FROM settled.event_pending)
      """
    try await untilTrue("the end of all that was due, \(seed)", within: .seconds(120)) {
      try await world.number(open) == 0
    }
    // What is planned by then waits for the schedule to be resumed.
    let paused = try await node.settlectl("schedule", "pause", "each-second")
    #expect(paused.exit == .code(0), "\(paused.errors)")
    try await untilTrue("the end of all runs, \(seed)") {
      try await world.number("SELECT count(*) FROM settled.occurrence WHERE status = 'running'") == 0
    }
    for command in [["audit", "schedule"], ["ledger", "verify"], ["seasons", "verify"]] {
      let checked = try await node.settlectl(command)
      #expect(checked.exit == .code(0), "\(command), \(seed): \(checked.output)\(checked.errors)")
    }
    let ticks = try await world.owner.query(
      "SELECT status, count(*) FROM settled.occurrence WHERE schedule = 'each-second' GROUP BY status ORDER BY status"
    ).decode(String.self, Int64.self)
    let ran = ticks.first { $0.0 == "ran" }?.1 ?? 0
    #expect(try await world.number("SELECT count(*) FROM ops.effect") == ran, "\(seed)")
    #expect(!ticks.contains { $0.0 == "failed" } && ran > 5, "\(ticks), \(seed)")
    try await Books.check(world.owner, seed)
    let broken =
      try await world.racing.broken(world.owner) + world.people.broken(world.owner) + world.web.broken(world.owner)
    #expect(broken.isEmpty, "\(broken.prefix(20)), \(seed)")
    let failures = try await world.owner.query("SELECT concat_ws(' ', job, key, error) FROM settled.failure").decode(
      String.self)
    #expect(failures.isEmpty, "\(failures), \(seed)")
    let races = try await world.number("SELECT count(*) FROM racing.race WHERE status = 'settled'")
    print(
      """
      upgrade: \(races) races settled, \(world.racing.calls + world.people.calls) calls and \(world.web.calls) requests \
      without an error, ticks \(ticks.map { "\($0.0) \($0.1)" }.joined(separator: ", ")); \(seed)
      """)
  }
}
