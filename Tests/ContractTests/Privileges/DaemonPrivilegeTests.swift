import Engine
import Postgres
import TestSupport
import Testing

@Suite("settled_daemon") struct DaemonPrivilegeTests {
  static let history = [
    "racing.journal", "racing.posting", "racing.settlement", "racing.payout", "racing.late_activity", "settled.audit",
    "racing.chain_link", "checkins.day",
  ]

  /// These tables say how the engine is run; only the contract's functions write them.
  static let owners = [
    "racing.claim", "racing.flag", "racing.decision", "racing.journal_double", "racing.transaction_end",
    "settled.event_closing", "settled.retention",
    "checkins.profile", "checkins.entry", "seasons.version", "seasons.threshold", "seasons.earning", "seasons.runner",
    "seasons.seasonal_total", "seasons.activity_type", "seasons.app_user", "seasons.team_talk", "seasons.reaction",
    "seasons.comment", "seasons.view",
    "strava.reader", "strava.account_keeper", "strava.hint_taker", "strava.hint", "strava.subscription",
    "achievements.achievement", "achievements.criterion",
    "achievements.report",
    "settled.installation", "settled.setting", "settled.time_zone", "settled.migration", "settled.function_script",
    "settled.granted_right",
  ]

  /// Only a function's owner reads these.
  static let closed = [
    "strava.access", "strava.importer", "accounts.account", "accounts.attempt", "accounts.known_address",
    "accounts.one_time_token",
    "gateway.answer", "gateway.caller_person", "racing.import_day", "racing.code_day", "seasons.own_earning_day",
  ]

  static let views = ["racing.qualifying_activity", "racing.journal_digest"]

  /// The tables that `tables.sql` of each module lets the daemon change.
  static let changed: [String] = {
    let paths = (try? Checkout.paths("sql/functions", ["sql"])) ?? []
    return paths.filter { $0.hasSuffix("/tables.sql") }.flatMap { path in
      let text = (try? Checkout.text(path)) ?? ""
      let schema = text.firstMatch(of: /give_privileges\('(\w+)'/)?.1 ?? ""
      let tables = text.firstMatch(of: /changes => '\{([^}]*)\}'/)?.1 ?? ""
      return tables.matches(of: /\w+/).map { "\(schema).\($0.0)" }
    }
  }()

  /// The rights of a role on each table, view and partition, by the catalogue.
  static func rights(of role: String, _ session: Connection) async throws -> [String: String] {
    let rows = try await session.query(
      """
      SELECT c.oid::regclass::text, string_agg(a.privilege_type, ' ' ORDER BY a.privilege_type)
      FROM pg_class c, aclexplode(c.relacl) a
      WHERE c.relnamespace IN \(raw: Catalogue.schemas) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND a.grantee = coalesce((SELECT oid FROM pg_roles WHERE rolname = \(role)), 0)
      GROUP BY c.oid
      """
    ).decode(String.self, String.self)
    return Dictionary(rows.map { ($0.0, $0.1) }) { $1 }
  }

  @Test func `settled_daemon inserts into history and never changes it`() async throws {
    let database = try await SettledDatabase.simulated()
    let daemon = try await database.connect(.daemon)
    let owner = try await database.connect()
    for table in Self.history {
      let column = try await owner.value(
        "SELECT attname::text FROM pg_attribute WHERE attrelid = '\(table)'::regclass AND attnum = 1", as: String.self)
      for statement in [
        "UPDATE \(table) SET \(column) = DEFAULT", "UPDATE \(table) SET \(column) = DEFAULT WHERE false",
        "DELETE FROM \(table)", "DELETE FROM \(table) WHERE false", "TRUNCATE \(table)", "DROP TABLE \(table)",
        "ALTER TABLE \(table) DISABLE TRIGGER ALL", "SELECT 1 FROM \(table) FOR UPDATE",
      ] {
        try await expectServerError("42501", "\(statement)") { try await daemon.run(statement) }
      }
      try await daemon.run("INSERT INTO \(table) OVERRIDING USER VALUE SELECT * FROM \(table) WHERE false")
    }
  }

  @Test func `settled_daemon only reads the tables that others maintain`() async throws {
    let database = try await SettledDatabase.simulated()
    let daemon = try await database.connect(.daemon)
    let owner = try await database.connect()
    for table in Self.owners {
      try await daemon.run("SELECT * FROM \(table)")
      for statement in ["INSERT INTO \(table) DEFAULT VALUES", "DELETE FROM \(table)", "TRUNCATE \(table)"] {
        try await expectServerError("42501", "\(statement)") { try await daemon.run(statement) }
      }
      let updates = "SELECT has_any_column_privilege('settled_daemon', '\(table)', 'UPDATE')"
      #expect(try await !owner.value(updates, as: Bool.self), "\(table)")
    }
  }

  /// Exactly these: a table that joins the schema is closed to everybody until its module's `tables.sql` lists it.
  @Test func `settled_daemon has exactly its listed privileges on each table`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let lists = [
      (Self.changed, "DELETE INSERT SELECT UPDATE"), (Self.history, "INSERT SELECT"),
      (Self.owners + Self.views, "SELECT"),
    ]
    let expected = Dictionary(uniqueKeysWithValues: lists.flatMap { names, rights in names.map { ($0, rights) } })
    #expect(try await Self.rights(of: "settled_daemon", session) == expected)
    for role in ["PUBLIC", "settled_app", "settled_schedule", "settled_gateway"] {
      #expect(try await Self.rights(of: role, session) == [:], "\(role)")
    }
    let relations = try await session.value(
      """
      SELECT array_agg(c.oid::regclass::text) FROM pg_class c
      WHERE c.relnamespace IN \(Catalogue.schemas) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      """, as: [String].self)
    #expect(Set(relations) == Set(expected.keys).union(Self.closed))
    #expect(Set(expected.keys).isDisjoint(with: Self.closed))
  }

  @Test func `settled_daemon and settled_reader get nothing on a new table`() async throws {
    let database = try await SettledDatabase.simulated()
    let session = try await database.connect()
    try await session.script(
      """
      SET ROLE settled_owner; CREATE TABLE strava.fresh (a int); CREATE TABLE racing.fresh (a int); RESET ROLE;
      UPDATE settled.function_script SET checksum = 'another';
      """)
    #expect(try await Migrator().migrate(database.database.options).functionsChanged)
    for role in [
      "settled_daemon", "settled_reader", "settled_app", "settled_schedule", "settled_gateway", "PUBLIC",
    ] {
      let rights = try await Self.rights(of: role, session)
      #expect(rights["strava.fresh"] == nil && rights["racing.fresh"] == nil, "\(role)")
    }
  }

  @Test func `settled_daemon neither sets the clock nor calls functions for apps only`() async throws {
    let daemon = try await SettledDatabase.simulated().connect(.daemon)
    for call in [
      "settled.set_clock(now())", "racing.deposit(1, 1, 'k')", "racing.enter_race(1, 1)", "racing.create_athlete('A')",
    ] {
      try await expectServerError("42501", "\(call)") { try await daemon.run("SELECT \(call)") }
    }
    try await daemon.run("SELECT settled.set('racing.flag_threshold', '5'), racing.verify_ledger()")
  }
}
