import Engine
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Operations

@Suite("Changed rights") struct RightsCheckTests {
  private let database: SettledDatabase

  init() async throws { database = try await SettledDatabase.real() }

  private func finding() async throws -> Check.Finding {
    let check = try #require(EngineChecks.checks.first { $0.name == "rights" })
    return try await database.pool().transaction(readOnly: true) { try await check.run($0) }
  }

  @Test func `doctor names changed rights, and a migration restores them`() async throws {
    #expect(try await finding() == .init("each role has the privileges that the last migration granted"))
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
    #expect(!found.isOk && found.remedy == "settled migrate restores the privileges")
    let parts = found.finding.split(separator: "; ")
    #expect(parts.count == 5 && found.finding.hasSuffix(", and 1 more"), "\(found.finding)")
    #expect(parts[0].hasPrefix("settled_daemon no longer has EXECUTE on ROUTINE settled.emit("))
    #expect(parts[1] == "settled_reader no longer has SELECT (status) on TABLE strava.connection")
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

  @Test func `rights of operators' schedules to call functions are not reported, nor is their end`() async throws {
    let owner = try await database.connect()
    try await owner.execute("GRANT EXECUTE ON FUNCTION settled.emit TO settled_schedule")
    #expect(try await finding().isOk)
    #expect(try await !database.database.migrate().functionsChanged)
    try await owner.execute("GRANT SELECT ON settled.job TO settled_app")
    #expect(try await database.database.migrate().functionsChanged)
    try await owner.execute("REVOKE EXECUTE ON FUNCTION settled.emit FROM settled_schedule")
    #expect(try await finding().isOk)
    try await owner.execute("REVOKE EXECUTE ON FUNCTION settled.begin_occurrence FROM settled_schedule")
    #expect(
      try await finding().finding.hasPrefix("settled_schedule no longer has EXECUTE on ROUTINE settled.begin_occ"))
  }

  @Test func `doctor names changed rights of partitions, and rights that a role may grant further`() async throws {
    let owner = try await database.connect()
    let partition = try await owner.query(
      "SELECT min(inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = 'settled.event'::regclass"
    ).one(String.self)
    try await owner.script(
      """
      GRANT SELECT ON \(partition) TO settled_app;
      GRANT SELECT ON settled.job TO settled_reader WITH GRANT OPTION;
      """)
    #expect(
      try await finding().finding == """
        settled_app was given SELECT on TABLE \(partition); \
        settled_reader was given SELECT WITH GRANT OPTION on TABLE settled.job
        """)
    #expect(try await database.database.migrate().functionsChanged)
    #expect(try await finding().isOk)
  }

  @Test func `a missing right is named as the cause of a check that cannot run`() async throws {
    let owner = try await database.connect()
    try await owner.execute("REVOKE SELECT ON settled.failure FROM settled_daemon")
    let check = try #require(EngineChecks.checks.first { $0.name == "quarantine" })
    let row = try #require(try await DoctorFixture(database: database).rows([check], TestTime.host).first)
    #expect(row["ok"] == false && row["remedy"]?.text == "settled migrate restores the privileges")
  }
}
