import Postgres
import TestSupport
import Testing

@Suite("settled_gateway") struct GatewayPrivilegeTests {
  /// The functions of schema gateway that the gateway's statements name.
  private static func called() throws -> Set<String> {
    let sources = try Checkout.paths("Sources/Gateway", ["swift"]).map { try Checkout.text($0) }
    // The gateway of the former release, which runs beside today's during an upgrade, calls this one as well.
    return Set(["gateway.identity"]).union(
      sources.flatMap { $0.matches(of: /\bgateway\.([a-z_]+)\(/).map { "gateway.\($0.1)" } })
  }

  @Test func `settled_gateway may call exactly the functions that the gateway's statements name`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let open = try await owner.value(
      """
      SELECT array_agg(p.oid::regproc::text ORDER BY 1) FROM pg_proc p
      WHERE p.pronamespace IN \(Catalogue.schemas) AND has_function_privilege('settled_gateway', p.oid, 'EXECUTE')
      """, as: [String].self)
    let called = try Self.called()
    #expect(called.count > 40)
    #expect(Set(open) == called, "\(called.symmetricDifference(open))")
    // Gateways of the release before cursors call the other one.
    #expect(open.count { $0 == "gateway.racepace_races" } == 2 && open.count == called.count + 1)
    let gateway = try await database.connect(.gateway)
    for call in [
      "racing.create_race('top_speed', 'daily', 'senior_men', now(), now())", "racing.reverse_deposit(1, 'r')",
      "racing.complete_withdrawal(1)", "racing.fail_withdrawal(1, 'r')", "settled.events()", "strava.access_token(1)",
      "racing.deposit(1, 1, 'k')", "accounts.create_account('a@example.org', 'x')",
      "accounts.grant_role('1', 'payments')",
      "settled.set('racing.flag_threshold', '1')", "gateway.user_shape(1)", "racing.wallet(1)", "settled.clock()",
    ] {
      try await expectServerError("42501", "\(call)") { try await gateway.run("SELECT \(call)") }
    }
    try await gateway.run("SELECT gateway.racepace_races()")
  }

  @Test func `settled_gateway reads and writes no table, view or sequence, and creates nothing`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let rights = """
      SELECT count(*) FROM pg_class c WHERE c.relnamespace IN \(Catalogue.schemas) AND CASE c.relkind
        WHEN 'S' THEN has_sequence_privilege('settled_gateway', c.oid, 'USAGE, SELECT, UPDATE')
        ELSE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (
          has_any_column_privilege('settled_gateway', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') OR
          has_table_privilege('settled_gateway', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))
        END
      """
    #expect(try await owner.value(rights) == 0)
    let schemas = """
      SELECT array_agg(oid::regnamespace::text) FROM pg_namespace WHERE oid IN \(Catalogue.schemas)
        AND (has_schema_privilege('settled_gateway', oid, 'USAGE') OR has_schema_privilege('settled_gateway', oid, 'CREATE'))
      """
    #expect(try await owner.value(schemas, as: [String].self) == ["gateway"])
    let gateway = try await database.connect(.gateway)
    for statement in [
      "CREATE TABLE gateway.mine ()", "CREATE SCHEMA mine", "SET ROLE settled_daemon", "SET ROLE settled_app",
      "SELECT password_hash FROM accounts.account", "SELECT * FROM gateway.answer",
    ] {
      try await expectServerError("42501", "\(statement)") { try await gateway.run(statement) }
    }
  }

  @Test func `settled_gateway carries its limits as role settings, for proxies that set none`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let limits = try await session.value(
      """
      SELECT array_agg(c ORDER BY c) FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c
      WHERE s.setrole = 'settled_gateway'::regrole AND c ~ 'timeout'
        AND s.setdatabase = (SELECT oid FROM pg_database WHERE datname = 'settled_simulated')
      """, as: [String].self)
    #expect(
      limits == [
        "idle_in_transaction_session_timeout=5s", "idle_session_timeout=0", "lock_timeout=2s", "statement_timeout=5s",
      ])
  }
}
