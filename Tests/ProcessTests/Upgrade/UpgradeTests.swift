import Engine
import Postgres
import Schema
import TestSupport
import Testing

@Suite(
  "The former release beside this one",
  .enabled(if: FormerRelease.directory != nil, "SETTLED_FORMER_BIN names no programs: deploy/soak upgrade builds them"),
  .timeLimit(.minutes(20)))
struct UpgradeTests {
  @Test func `nodes and gateways are upgraded one by one under load, and no app sees an error`() async throws {
    var random = SeededGenerator()
    let seed = "\(random)"
    let world = try await UpgradeWorld(random)
    let (one, two) = (try await world.node(.former, "one"), try await world.node(.former, "two"))
    let gateway = try await world.formerGateway.start()
    let added = try await one.settlectl(
      [
        "schedule", "add", "each-second", "--cron", "* * * * * *", "--call", "ops.tick", "--missed", "all", "--max",
        "1000",
        "--within", "1h",
      ], program: FormerRelease.program("settlectl"))
    #expect(added.exit == .code(0), "\(added.errors)")

    try await world.stage("the former release alone", &random) {}
    try await world.stage("settled migrate of this release", &random) {
      let migrated = try await SettledProcess.run(["migrate", "--database-url", world.database.url(.owner)])
      try #require(migrated.exit == .code(0), "\(migrated.errors) \(seed)")
      print("upgrade: settled migrate: \(migrated.output.split(separator: "\n").joined(separator: ", "))")
    }
    var three: SettledProcess?
    try await world.stage("a former node starts on the new schema", &random) {
      three = try await world.node(.former, "three")
      try await Self.stop(one)
    }
    var (four, five): (SettledProcess?, SettledProcess?) = (nil, nil)
    var webs: [SettledProcess] = []
    try await world.stage("new nodes and a new gateway beside the former", &random) {
      (four, five) = (try await world.node(.new, "four"), try await world.node(.new, "five"))
      webs.append(try await world.newGateway.start())
      world.web.use([world.formerGateway, world.newGateway])
    }
    let (third, fourth, fifth) = (try #require(three), try #require(four), try #require(five))
    try await world.stage("a former node is drained and stopped", &random) {
      // Either settlectl speaks to either daemon.
      let drained = try await third.settlectl("drain")
      #expect(drained.exit == .code(0), "\(drained.errors)")
      let status = try await fourth.settlectl(["status"], program: FormerRelease.program("settlectl"))
      #expect(status.exit == .code(0), "\(status.errors)")
      try await Self.stop(third)
    }
    try await world.stage("the former gateway is stopped", &random) {
      world.web.use([world.newGateway])
      try await Self.stop(gateway)
    }
    try await world.stage("the last former node is stopped", &random) { try await Self.stop(two) }
    try await world.stage("a release after this one migrates", &random) {
      let report = try await Migrator(Self.later).migrate(ConnectionOptions(url: world.database.url(.owner)))
      #expect(report.applied.count == 1 && report.functionsChanged)
      try await Self.stop(fourth)
    }
    let six = try await world.node(.new, "six")
    try await finish(world, six, seed)
    for daemon in [fifth, six] + webs { try await Self.stop(daemon) }
    await world.end()
  }

  /// What comes after us: one more table, and all functions anew.
  private static var later: Migrations {
    let number = Schema.migrations.count + 1
    let more = Schema.File(
      path: "migrations/00\(number)-later.sql", text: "CREATE TABLE racing.later (id bigint PRIMARY KEY);")
    let release = Migrations().functionRelease
    return Migrations(
      migrations: Schema.migrations + [more],
      functions: Schema.functions.map { file in
        Schema.File(
          path: file.path, text: file.text.replacing("-- Release \(release) of", with: "-- Release \(release + 1) of"))
      })
  }

  private static func stop(_ process: SettledProcess) async throws {
    process.terminate()
    #expect(try await process.exit() == .code(0), "\(process.errors.text.suffix(2000))")
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
