import Engine
import Postgres
import Schema
import TestSupport
import Testing

/// The steps of an upgrade, each a stage of the world.
struct UpgradeCampaign {
  private let world: UpgradeWorld
  private var random: SeededGenerator
  private let seed: String
  /// By name: nodes, and the two gateways.
  private var running: [String: SettledProcess] = [:]

  init(_ world: UpgradeWorld, _ random: SeededGenerator) {
    (self.world, self.random, seed) = (world, random, "\(random)")
  }

  private mutating func start(_ age: FormerRelease.Age, _ name: String) async throws {
    running[name] = try await world.node(age, name)
  }

  private func node(_ name: String) throws -> SettledProcess { try #require(running[name], "\(name), \(seed)") }

  private mutating func stop(_ name: String) async throws {
    let process = try node(name)
    running[name] = nil
    process.terminate()
    #expect(try await process.exit() == .code(0), "\(name), \(seed): \(process.errors.text.suffix(2000))")
  }

  /// Two former nodes and a former gateway work, and a schedule ticks each second.
  mutating func begin() async throws {
    try await start(.former, "one")
    try await start(.former, "two")
    running["former gateway"] = try await world.formerGateway.start()
    let added = try await node("one").settlectl(
      [
        "schedule", "add", "each-second", "--cron", "* * * * * *", "--call", "ops.tick", "--missed", "all", "--max",
        "1000", "--within", "1h",
      ], program: FormerRelease.program("settlectl"))
    #expect(added.exit == .code(0), "\(added.errors)")
    try await world.stage("the former release alone", &random) {}
  }

  /// The schema comes first. A former node that starts afterwards works with it.
  mutating func migrate() async throws {
    var random = random
    try await world.stage("settled migrate of this release", &random) {
      let migrated = try await SettledProcess.run(["migrate", "--database-url", world.database.url(.owner)])
      try #require(migrated.exit == .code(0), "\(migrated.errors) \(seed)")
      print("upgrade: settled migrate: \(migrated.output.split(separator: "\n").joined(separator: ", "))")
    }
    try await world.stage("a former node starts on the new schema", &random) {
      try await start(.former, "three")
      try await stop("one")
    }
    self.random = random
  }

  mutating func join() async throws {
    var random = random
    try await world.stage("new nodes and a new gateway beside the former", &random) {
      try await start(.new, "four")
      try await start(.new, "five")
      running["new gateway"] = try await world.newGateway.start()
      world.web.use([world.formerGateway, world.newGateway])
    }
    self.random = random
  }

  /// The former ones are drained and stopped. Either settlectl speaks to either daemon.
  mutating func leave() async throws {
    var random = random
    try await world.stage("a former node is drained and stopped", &random) {
      let drained = try await node("three").settlectl("drain")
      #expect(drained.exit == .code(0), "\(drained.errors)")
      let status = try await node("four").settlectl(["status"], program: FormerRelease.program("settlectl"))
      #expect(status.exit == .code(0), "\(status.errors)")
      try await stop("three")
    }
    try await world.stage("the former gateway is stopped", &random) {
      world.web.use([world.newGateway])
      try await stop("former gateway")
    }
    try await world.stage("the last former node is stopped", &random) { try await stop("two") }
    self.random = random
  }

  /// This release is a former one some day: the one after it migrates, and a node starts afterwards, which is returned.
  mutating func outlive() async throws -> SettledProcess {
    var random = random
    try await world.stage("a release after this one migrates", &random) {
      let report = try await Migrator(Self.later).migrate(ConnectionOptions(url: world.database.url(.owner)))
      #expect(report.applied.count == 1 && report.functionsChanged)
      try await stop("four")
    }
    try await start(.new, "six")
    return try node("six")
  }

  mutating func end() async throws {
    for name in running.keys.sorted() { try await stop(name) }
  }

  /// One more table, and all functions replaced.
  private static var later: Migrations {
    let more = Schema.File(
      path: "migrations/00\(Schema.migrations.count + 1)-later.sql",
      text: "CREATE TABLE racing.later (id bigint PRIMARY KEY);")
    let release = Migrations().functionRelease
    return Migrations(
      migrations: Schema.migrations + [more],
      functions: Schema.functions.map { file in
        Schema.File(
          path: file.path, text: file.text.replacing("-- Release \(release) of", with: "-- Release \(release + 1) of"))
      })
  }
}
