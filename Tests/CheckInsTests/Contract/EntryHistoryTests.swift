import Postgres
import TestSupport
import Testing

@Suite("Entries", .timeLimit(.minutes(3))) struct EntryHistoryTests {
  private static let partitions: Statement = """
    SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'checkins.entry'::regclass ORDER BY 1
    """

  /// The daemon's role, which owns no table and may write no entry, does all this.
  @Test func `entries lie in monthly partitions made ahead, and each refuses a second entry of a date`()
    async throws
  {
    let habit = try await Habit(at: "2031-01-31T12:00:00Z")
    try await habit.onboard("ann", "Pacific/Kiritimati")
    #expect(try await habit.submit("ann") == "2031-02-01")
    try await habit.onboard("bob", "Pacific/Pago_Pago")
    #expect(try await habit.submit("bob") == "2031-01-31")
    let own = try await BuiltInSchedules(habit.database)
    #expect(try await own.run("history-pruning") == "ran")
    #expect(
      try await habit.session.query(Self.partitions).decode(String.self) == [
        "entry_2031_01", "entry_2031_02", "entry_2031_03", "entry_default",
      ])
    let places = try await habit.session.query(
      "SELECT tableoid::regclass || ' ' || date FROM checkins.entry ORDER BY date"
    ).decode(String.self)
    #expect(places == ["checkins.entry_2031_01 2031-01-31", "checkins.entry_2031_02 2031-02-01"])
    #expect(try await outcome { _ = try await habit.submit("ann") } == "SD409 already-checked-in")
    let twice = await #expect(throws: PostgresError.self) {
      try await habit.session.execute(
        "INSERT INTO checkins.entry SELECT * FROM checkins.entry WHERE date = '2031-02-01'")
    }
    #expect(twice?.sqlState == "23505")
    let daemon = try await habit.database.connect(.daemon)
    for table in ["entry", "entry_2031_01", "entry_default"] {
      let refused = await #expect(throws: PostgresError.self) {
        try await daemon.execute("DELETE FROM checkins.\(raw: table)")
      }
      #expect(refused?.sqlState == "42501", "\(table)")
    }
  }

  @Test func `entries are kept for ever or as long as set; totals and streaks survive their pruning`()
    async throws
  {
    let habit = try await Habit(at: "2031-01-30T12:00:00Z")
    try await habit.onboard("ann", nil)
    try await habit.onboard("bob", nil)
    for day in ["2031-01-30", "2031-01-31", "2031-02-01"] {
      try await habit.clock("\(day)T12:00:00Z")
      for user in ["ann", "bob"] { try await habit.submit(user) }
    }
    let daemon = try await habit.database.connect(.daemon)
    for month in ["entry_2031_01", "entry_2031_02"] {
      #expect(try await daemon.query("SELECT settled.plant_partition('checkins', 'entry')").one(String.self) == month)
    }
    // 400 days after the end of January 2031, and a moment before it.
    try await habit.clock("2032-03-06T23:59:59Z")
    try await habit.submit("ann")
    try await habit.reset()
    let dates: Statement = "SELECT string_agg(DISTINCT date::text, ' ' ORDER BY date::text) FROM checkins.entry"
    let days = try await habit.days("UTC")
    #expect(days.prefix(3) == ["2031-01-30 2 0", "2031-01-31 2 0", "2031-02-01 2 0"])
    #expect(try await habit.streak("ann") == "1 3 2032-03-06")
    let cases: [(String, String, String?, String)] = [
      ("forever", "2032-03-06T23:59:59Z", nil, "2031-01-30 2031-01-31 2031-02-01 2032-03-06"),
      ("400 days", "2032-03-06T23:59:59Z", nil, "2031-01-30 2031-01-31 2031-02-01 2032-03-06"),
      ("400 days", "2032-03-07T00:00:00Z", "entry_2031_01", "2031-02-01 2032-03-06"),
    ]
    for (retention, instant, dropped, kept) in cases {
      try await habit.session.execute("SELECT settled.set('checkins.entry_retention', \(retention))")
      try await habit.clock(instant)
      let before = [try await habit.summary("ann"), try await habit.summary("bob")]
      let name = try await daemon.query("SELECT settled.prune_partition('checkins', 'entry')").one(String?.self)
      #expect(name == dropped)
      #expect(try await habit.session.query(dates).one(String.self) == kept, "\(retention) \(instant)")
      #expect([try await habit.summary("ann"), try await habit.summary("bob")] == before)
    }
    #expect(try await habit.streak("ann") == "1 3 2032-03-06")
    #expect(try await habit.streak("bob") == "0 3 2031-02-01")
    #expect(try await habit.days("UTC") == days)
    #expect(try await habit.submit("ann") == "2032-03-07")
  }

  @Test func `entry partitions are made while others hold locks, and break no call between two tables`()
    async throws
  {
    let habit = try await Habit(at: "2031-01-31T12:00:00Z")
    try await habit.onboard("ann", nil)
    let app = try await habit.database.connect(.app)
    let daemon = try await habit.database.connect(.daemon)
    try await app.transaction { transaction in
      // Holds rows of both tables.
      _ = try await transaction.query("SELECT checkins.submit('ann', \(JSON(text: Habit.good)))")
      let refused = await #expect(throws: PostgresError.self) {
        _ = try await daemon.query("SELECT settled.plant_partition('checkins', 'entry')")
      }
      #expect(refused?.sqlState == "55P03")
    }
    #expect(
      try await daemon.query("SELECT settled.plant_partition('checkins', 'entry')").one(String.self) == "entry_2031_01")
    #expect(try await habit.streak("ann") == "1 1 2031-01-31")
  }
}
