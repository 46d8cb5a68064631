import Engine
import Postgres
import Schema
import TestSupport
import Testing

@Suite("The default of racing.proof") struct ProofSwitchTests {
  private static func value(_ session: Connection) async throws -> String {
    try await session.query("SELECT settled.setting('racing.proof')").one(String.self)
  }

  @Test func `the switch is on in a new database, and off where the clock is simulated`() async throws {
    #expect(try await Self.value(SettledDatabase.real().connect()) == "on")
    let simulated = try await SettledDatabase.simulated()
    let owner = try await simulated.connect()
    #expect(try await Self.value(owner) == "off")
    // An operator's value stays, even when the functions are applied again.
    try await owner.script(
      "SELECT settled.set('racing.proof', 'on'); UPDATE settled.function_script SET checksum = 'another';")
    #expect(try await Migrator().migrate(simulated.database.options).functionsChanged)
    #expect(try await Self.value(owner) == "on")
  }

  @Test(arguments: [true, false])
  func `a migrated database keeps its ways where it has athletes`(hasAthletes: Bool) async throws {
    let database = try await TestCluster.shared.database()
    let files = Array(Schema.migrations.prefix { !$0.path.contains("proof-and-quotas") })
    let functions = Schema.functions.filter { $0.path.hasSuffix("/time_zones.sql") }.map { file in
      Schema.File(path: file.path, text: String(file.text.split(separator: "SELECT settled.declare_callers")[0]))
    }
    _ = try await Migrator(Migrations(migrations: files, functions: functions)).migrate(database.options)
    let owner = try await database.connect()
    if hasAthletes {
      try await owner.script(
        "INSERT INTO racing.athlete (display_name, user_type, created_at) VALUES ('Ann', 'racer', now())")
    }
    await owner.close()
    _ = try await Migrator().migrate(database.options)
    let session = try await database.connect()
    #expect(try await Self.value(session) == (hasAthletes ? "off" : "on"))
    let column = try await session.query(
      "SELECT kind, default_value, meaning FROM settled.setting WHERE key = 'racing.proof'"
    ).one(String.self, String.self, String.self)
    #expect(column.0 == "switch" && column.1 == "on" && !column.2.isEmpty)
  }
}
