import Postgres
import TestSupport
import Testing

@Suite("settled_gateway") struct GatewayPrivilegeTests {
  /// Exactly these: what a route needs joins this list and that of the schema's privileges.sql.
  static let functions = [
    "earlier_answer", "keep_answer", "is_current", "identity", "credentials", "log_in", "forget_attempt", "log_out",
    "check_email", "request_reset", "check_reset", "set_password", "register", "public_url", "racepace_session",
    "racepace_user",
    "racepace_update_user", "racepace_update_strava", "racepace_races", "racepace_race", "racepace_leaderboard",
    "racepace_enter", "racepace_entries", "racepace_entry", "racepace_activities", "racepace_own_activities",
    "racepace_import", "racepace_flag", "racepace_flagged", "racepace_review", "racepace_wallet",
    "racepace_transactions", "racepace_deposit", "racepace_withdraw",
    "team_progress", "team_rewards", "team_runner_points", "team_create_reward", "team_update_reward",
    "team_delete_reward", "team_earn", "team_track_view", "team_talk", "team_season_talks", "team_all_talks",
    "gread_achievements", "gread_achievement", "gread_achievement_by_slug", "gread_user_achievements",
    "gread_own_achievements", "gread_check", "gread_stats", "gread_leaderboard",
    "checkin_me", "checkin_update_profile", "checkin_onboard", "checkin_summary", "checkin_submit",
  ]

  @Test func `settled_gateway calls the listed functions of schema gateway, and no others`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let open = try await owner.value(
      """
      SELECT array_agg(p.oid::regproc::text ORDER BY 1) FROM pg_proc p
      WHERE p.pronamespace IN \(Catalogue.schemas) AND has_function_privilege('settled_gateway', p.oid, 'EXECUTE')
      """, as: [String].self)
    #expect(Set(open) == Set(Self.functions.map { "gateway.\($0)" }) && open.count == Self.functions.count)
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
