import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("Access to tokens", .timeLimit(.minutes(2))) struct PrivilegeTests {
  private static let shown = [
    "athlete_id", "status", "missing_scopes", "changed_at", "provider_athlete_id", "reason", "expires_at",
    "next_call_at",
    "refreshed_at",
  ]

  @Test(arguments: ["settled_app", "settled_reader"])
  func `neither apps nor readers see tokens in tables`(role: String) async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let columns = try await owner.query(
      """
      SELECT c.relname::text, a.attname::text FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
      WHERE c.oid IN ('strava.secret'::regclass, 'strava.access'::regclass, 'strava.connection'::regclass)
        AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
      """
    ).decode(String.self, String.self)
    let hidden = columns.filter { $0.0 != "connection" || !Self.shown.contains($0.1) }
    #expect(hidden.contains { $0 == ("secret", "secret") } && hidden.contains { $0 == ("access", "token") })
    #expect(hidden.contains { $0 == ("connection", "attempt") })
    try await owner.execute("SET ROLE \(raw: role)")
    for (table, column) in hidden {
      #expect(
        try await Self.state(owner, "SELECT \(raw: column) FROM strava.\(raw: table)") == "42501", "\(table) \(column)")
    }
    for table in ["secret", "access"] {
      for statement in ["SELECT count(*) FROM", "DELETE FROM", "COPY"] as [Statement] {
        let tail: Statement = statement == "COPY" ? "TO STDOUT" : ""
        #expect(
          try await Self.state(owner, "\(fragment: statement) strava.\(raw: table) \(fragment: tail)") == "42501",
          "\(statement)")
      }
    }
    for column in Self.shown {
      let state = try await Self.state(owner, "SELECT \(raw: column) FROM strava.connection")
      #expect(state == (role == "settled_reader" ? "ok" : "42501"), "\(column)")
    }
    await owner.close()
  }

  private static func state(_ session: Connection, _ statement: Statement) async throws -> String {
    do {
      _ = try await session.query(statement)
      return "ok"
    } catch {
      return error.sqlState ?? "\(error)"
    }
  }

  @Test(
    arguments: [
      ([:], true), (["log_min_duration_statement": "0"], false),
      (["log_min_duration_statement": "0", "log_parameter_max_length": "0"], true), (["log_statement": "all"], false),
      (["log_statement": "all", "log_parameter_max_length": "0"], true), (["log_statement": "mod"], true),
      (["log_parameter_max_length_on_error": "-1"], false), (["log_min_duration_sample": "0"], false),
      (["log_transaction_sample_rate": "1"], false),
    ] as [([String: String], Bool)])
  func `doctor reports that readers of the server's log see parameters with tokens`(
    settings: [String: String], isFine: Bool
  ) async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    for (name, value) in settings {
      try await owner.execute("ALTER DATABASE \(raw: database.database.name) SET \(raw: name) = '\(raw: value)'")
    }
    let node = TestNode(database)
    try await node.untilAsleep()
    let check = try await node.doctor("logged parameters")
    #expect(check.ok == isFine)
    #expect(check.finding.contains(isFine ? "the server logs no statement parameters" : settings.keys.sorted()[0]))
    try await node.stop()
    await owner.close()
  }
}
