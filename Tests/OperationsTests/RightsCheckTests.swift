import Engine
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Operations

@Suite("Rights that somebody changed") struct RightsCheckTests {
  private let database: SettledDatabase

  init() async throws { database = try await SettledDatabase.real() }

  private func finding() async throws -> Check.Finding {
    let check = try #require(EngineChecks.checks.first { $0.name == "rights" })
    return try await database.pool().transaction(readOnly: true) { try await check.run($0) }
  }

  @Test func `are named by doctor, and a migration gives them anew`() async throws {
    #expect(try await finding() == .init("each role has what the last migration gave it"))
    let owner = try await database.connect()
    try await owner.script(
      """
      CREATE ROLE "a Stranger";
      REVOKE EXECUTE ON FUNCTION settled.emit FROM settled_daemon;
      REVOKE SELECT (status) ON strava.connection FROM settled_reader;
      GRANT UPDATE ON racing.wallet TO settled_app;
      GRANT UPDATE (balance_pence) ON racing.wallet TO "a Stranger";
      GRANT EXECUTE ON FUNCTION accounts.create_account TO PUBLIC;
      GRANT USAGE ON SCHEMA gateway TO "a Stranger";
      """)
    let found = try await finding()
    #expect(!found.isOk && found.remedy == "settled migrate gives the rights anew")
    let parts = found.finding.split(separator: "; ")
    #expect(parts.count == 5 && found.finding.hasSuffix(", and 1 more"), "\(found.finding)")
    #expect(parts[0].hasPrefix("settled_daemon has no longer EXECUTE on ROUTINE settled.emit("))
    #expect(parts[1] == "settled_reader has no longer SELECT (status) on TABLE strava.connection")
    #expect(found.finding.contains("PUBLIC was given EXECUTE on ROUTINE accounts.create_account("))
    #expect(found.finding.contains("a Stranger was given UPDATE (balance_pence) on TABLE racing.wallet"))

    #expect(try await database.database.migrate().functionsChanged)
    #expect(try await finding().isOk)
    #expect(try await !database.database.migrate().functionsChanged)
    let app = try await database.connect(.app)
    let refused = await #expect(throws: PostgresError.self) {
      try await app.execute("UPDATE racing.wallet SET balance_pence = 1")
    }
    #expect(refused?.sqlState == "42501")
    try await owner.execute(#"DROP ROLE "a Stranger""#)
  }

  @Test func `are no matter where operators let schedules call functions`() async throws {
    let owner = try await database.connect()
    try await owner.execute("GRANT EXECUTE ON FUNCTION settled.emit TO settled_schedule")
    #expect(try await finding().isOk)
    #expect(try await !database.database.migrate().functionsChanged)
    try await owner.execute("REVOKE EXECUTE ON FUNCTION settled.begin_occurrence FROM settled_schedule")
    #expect(
      try await finding().finding.hasPrefix("settled_schedule has no longer EXECUTE on ROUTINE settled.begin_occ"))
  }

  @Test func `are named as what keeps a check from being made`() async throws {
    let owner = try await database.connect()
    try await owner.execute("REVOKE SELECT ON settled.failure FROM settled_daemon")
    let check = try #require(EngineChecks.checks.first { $0.name == "quarantine" })
    let doctor = DoctorFixture(database)
    let row = try #require(try await doctor.rows([check], TestTime.host).first)
    #expect(row["ok"] == false && row["remedy"]?.text == "settled migrate gives the rights anew")
  }
}
