import Postgres
import TestSupport
import Testing

@Suite struct `settled_daemon` {
  static let history = [
    "racing.journal", "racing.posting", "racing.settlement", "racing.payout", "racing.late_activity", "settled.audit",
    "racing.chain_link", "checkins.day",
  ]

  /// What says how the house is run, and what only the contract's functions write.
  static let owners = [
    "racing.flag", "racing.decision", "racing.transaction_end", "settled.event_closing",
    "checkins.profile", "checkins.entry",
    "settled.installation", "settled.setting", "settled.time_zone", "settled.migration", "settled.function_script",
  ]

  @Test func `adds to what is history and never changes it`() async throws {
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

  @Test func `only reads what says how the house is run`() async throws {
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

  /// Exactly these: a table that joins the schema is the daemon's to change, unless it is history or the owner's.
  @Test func `may change all other tables`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let closed = try await session.value(
      """
      SELECT array_agg(c.oid::regclass::text) FROM pg_class c
      WHERE c.relnamespace IN \(Catalogue.schemas) AND c.relkind IN ('r', 'p')
        AND NOT has_table_privilege('settled_daemon', c.oid, 'UPDATE')
      """, as: [String].self)
    #expect(Set(closed) == Set(Self.history + Self.owners))
    let more =
      "SELECT count(*) FROM pg_class c WHERE c.relnamespace IN \(Catalogue.schemas) AND has_table_privilege('settled_daemon', c.oid, 'TRUNCATE, TRIGGER, REFERENCES')"
    #expect(try await session.value(more) == 0)
  }

  @Test func `does not set the clock, nor calls what only an app calls`() async throws {
    let daemon = try await SettledDatabase.simulated().connect(.daemon)
    for call in [
      "settled.set_clock(now())", "racing.deposit(1, 1, 'k')", "racing.enter_race(1, 1)", "racing.create_athlete('A')",
    ] {
      try await expectServerError("42501", "\(call)") { try await daemon.run("SELECT \(call)") }
    }
    try await daemon.run("SELECT settled.set('racing.flag_threshold', '5'), racing.verify_ledger()")
  }
}
