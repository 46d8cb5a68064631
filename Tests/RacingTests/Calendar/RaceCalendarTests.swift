import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("The race calendar")
struct RaceCalendarTests {
  private static func calendar(at instant: String) async throws -> BuiltInSchedules {
    let database = try await SettledDatabase.simulated()
    try await database.setClock(instant)
    return try await BuiltInSchedules(database, modules: [RacingModule()])
  }

  /// `start end number of races` of each period of a duration.
  private static func periods(_ own: BuiltInSchedules, _ duration: String) async throws -> [String] {
    try await own.owner.query(
      """
      SELECT concat_ws(' ', to_char(starts_at AT TIME ZONE 'UTC', 'MM-DD"T"HH24:MI'),
        to_char(ends_at AT TIME ZONE 'UTC', 'MM-DD"T"HH24:MI'), count(DISTINCT (type, category)), count(*))
      FROM racing.race WHERE duration = \(duration) GROUP BY starts_at, ends_at ORDER BY starts_at
      """
    ).decode(String.self)
  }

  @Test func `the race calendar is complete on a fresh database: current races and the next two days`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    try await own.work()
    #expect(
      try await Self.periods(own, "daily") == [
        "06-01T23:00 06-02T23:00 32 32", "06-02T23:00 06-03T23:00 32 32", "06-03T23:00 06-04T23:00 32 32",
      ])
    #expect(try await Self.periods(own, "weekly") == ["06-01T23:00 06-08T23:00 32 32"])
    #expect(try await Self.periods(own, "monthly") == ["05-31T23:00 06-30T23:00 32 32"])
    #expect(try await own.last("race-calendar") == "ran")
    #expect(try await own.count("SELECT rows FROM settled.occurrence WHERE schedule = 'race-calendar'") == 160)
    #expect(try await own.count("SELECT count(*) FROM racing.race WHERE status = 'active'") == 96)
    // Nothing is left to do, and another look does nothing, nor uses up a race's number.
    #expect(try await own.run("race-calendar") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 160)
    #expect(try await own.count("SELECT nextval(pg_get_serial_sequence('racing.race', 'id'))") == 161)
  }

  @Test func `no regular race is made while racing.calendar is off, and all of them once it is on`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    try await own.owner.execute("SELECT settled.set('racing.calendar', 'off')")
    try await own.work()
    #expect(try await own.last("race-calendar") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 0)
    let finding = try await own.owner.transaction { try await RaceCalendar.check.run($0) }
    #expect(finding.isOk && finding.finding.contains("racing.calendar is off"))
    try await own.owner.execute("SELECT settled.set('racing.calendar', 'on')")
    #expect(try await own.run("race-calendar") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 160)
    try await own.owner.execute("SELECT settled.set('racing.calendar', 'off')")
    #expect(try await own.run("race-calendar") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 160)
  }

  @Test func `the race calendar follows London's midnights through clock changes, weeks and months`() async throws {
    let spring = try await Self.calendar(at: "2031-03-29T12:00:00Z")
    try await spring.work()
    #expect(
      try await Self.periods(spring, "daily") == [
        "03-29T00:00 03-30T00:00 32 32", "03-30T00:00 03-30T23:00 32 32", "03-30T23:00 03-31T23:00 32 32",
      ])
    #expect(
      try await Self.periods(spring, "weekly") == ["03-24T00:00 03-30T23:00 32 32", "03-30T23:00 04-06T23:00 32 32"])
    #expect(try await Self.periods(spring, "monthly") == ["03-01T00:00 03-31T23:00 32 32"])
    let autumn = try await Self.calendar(at: "2031-10-25T12:00:00Z")
    try await autumn.work()
    #expect(
      try await Self.periods(autumn, "daily") == [
        "10-24T23:00 10-25T23:00 32 32", "10-25T23:00 10-27T00:00 32 32", "10-27T00:00 10-28T00:00 32 32",
      ])
    #expect(
      try await Self.periods(autumn, "weekly") == ["10-19T23:00 10-27T00:00 32 32", "10-27T00:00 11-03T00:00 32 32"])
  }

  @Test func `the race calendar makes all races except one whose key an open transaction has`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    let app = try await own.database.connect(.app)
    let place: Statement = """
      SELECT racing.create_race('top_speed', 'daily', 'women_u23', '2031-06-02T23:00:00Z', '2031-06-03T23:00:00Z')
      """
    try await app.transaction(commit: false) { transaction in
      _ = try await transaction.query(place)
      try await own.work()
    }
    #expect(try await own.last("race-calendar") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 159)
    #expect(own.warnings("race-calendar").contains { $0.contains("1 regular race is waiting for an open transaction") })
    #expect(try await own.run("race-calendar") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 160)
  }

  @Test func `the race calendar gives each race the current settings, like racing.create_race`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    try await own.owner.script(
      """
      SELECT settled.set('racing.platform_fee_percent', '2.5'), settled.set('racing.prize_shares', '60,30,10'),
        settled.set('racing.results_grace', '2h'), settled.set('racing.entry_cutoff', '1h'),
        settled.set('racing.review_hold', '24h')
      """)
    try await own.work()
    try await own.owner.script(
      """
      SELECT settled.set('racing.platform_fee_percent', '9');
      SELECT racing.create_race('top_speed', d, 'senior_men', '2031-07-20T10:00:00Z', '2031-07-20T12:00:00Z')
      FROM unnest('{daily,weekly,monthly}'::text[]) AS d
      """)
    let shapes: Statement = """
      SELECT concat_ws(' ', duration, entry_fee_pence, platform_fee_percent, prize_shares, entry_cutoff, review_hold,
        due_at - ends_at, next_check_at - due_at, count(*))
      FROM racing.race GROUP BY duration, entry_fee_pence, platform_fee_percent, prize_shares, entry_cutoff,
        review_hold, due_at - ends_at, next_check_at - due_at ORDER BY min(starts_at) > '2031-07-01', duration
      """
    let rest = "{60,30,10} 01:00:00 24:00:00 02:00:00 00:00:00"
    #expect(
      try await own.owner.query(shapes).decode(String.self) == [
        "daily 100 2.50 \(rest) 96", "monthly 1599 2.50 \(rest) 32", "weekly 499 2.50 \(rest) 32",
        "daily 100 9.00 \(rest) 1", "monthly 1599 9.00 \(rest) 1", "weekly 499 9.00 \(rest) 1",
      ])
  }

  @Test func `the race calendar keeps a special race in a regular one's place, and doctor names it`() async throws {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-06-02T09:00:00Z")
    let owner = try await database.connect()
    let special = try await owner.query(
      """
      SELECT racing.create_race('top_speed', 'daily', 'senior_men', '2031-06-03T23:00:00Z', '2031-06-04T10:00:00Z')
      """
    ).one(Int64.self)
    let own = try await BuiltInSchedules(database, modules: [RacingModule()])
    try await own.work()
    #expect(own.warnings("race-calendar").map { $0.prefix(8) } == ["race \(special): "])
    #expect(try await own.count("SELECT count(*) FROM racing.race WHERE starts_at = '2031-06-03T23:00Z'") == 32)
    try await own.pass(to: "2031-06-02T10:30:00Z")
    #expect(own.warnings("race-calendar").count == 1)
    let finding = try await own.pool.transaction { try await RaceCalendar.check.run($0) }
    #expect(finding.isOk && finding.finding.hasSuffix("by a special race: \(special)"))
    // A second one, made between two runs.
    try await database.setClock("2031-06-02T22:30:00Z")
    _ = try await owner.query(
      """
      SELECT racing.create_race('top_speed', 'daily', 'senior_women', '2031-06-04T23:00:00Z', '2031-06-05T10:00:00Z')
      """)
    try await own.pass(to: "2031-06-03T01:30:00Z")
    #expect(own.warnings("race-calendar").count == 2)
  }

  @Test func `doctor reports missing races of the calendar`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    try await own.work()
    try await own.owner.script(
      """
      SET session_replication_role = replica; DELETE FROM racing.race WHERE duration = 'daily' AND type = 'top_speed';
      RESET session_replication_role
      """)
    let before = try await own.pool.transaction { try await RaceCalendar.check.run($0) }
    #expect(!before.isOk && before.finding.hasPrefix("16 regular races"))
    try await own.run("race-calendar")
    #expect(try await own.pool.transaction { try await RaceCalendar.check.run($0) }.isOk)
  }

  @Test func `the race calendar follows a changed zone within the hour, and keeps earlier races`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    try await own.work()
    try await own.owner.execute("SELECT settled.set('racing.time_zone', 'America/New_York')")
    try await own.pass(to: "2031-06-02T09:20:00Z")
    #expect(
      try await Self.periods(own, "daily") == [
        "06-01T23:00 06-02T23:00 32 32", "06-02T04:00 06-03T04:00 32 32", "06-02T23:00 06-03T23:00 32 32",
        "06-03T04:00 06-04T04:00 32 32", "06-03T23:00 06-04T23:00 32 32", "06-04T04:00 06-05T04:00 32 32",
      ])
    #expect(try await own.pool.transaction { try await RaceCalendar.check.run($0) }.isOk)
  }

  @Test func `a regular race keeps its date where new time zone data move midnight`() async throws {
    let own = try await Self.calendar(at: "2031-06-02T09:00:00Z")
    try await own.work()
    // As the check of time zones leaves it after an update by which London gave up its summer time.
    // It rests from now on, because this server's files still have the summer time.
    try await own.owner.script(
      """
      UPDATE settled.zone_future SET offsets = jsonb_build_array(jsonb_build_array(offsets #> '{0,0}', 0))
        WHERE zone = 'Europe/London';
      UPDATE settled.schedule SET paused = true, next_tick_at = NULL WHERE name = 'time-zone-check'
      """)
    try await own.pass(to: "2031-06-02T09:30:00Z")
    #expect(try await own.count("SELECT count(*) FROM racing.race") == 160)
    try await own.pass(to: "2031-06-03T09:30:00Z")
    #expect(
      try await Self.periods(own, "daily") == [
        "06-01T23:00 06-02T23:00 32 32", "06-02T23:00 06-03T23:00 32 32", "06-03T23:00 06-04T23:00 32 32",
        "06-05T00:00 06-06T00:00 32 32",
      ])
    let finding = try await own.pool.transaction { try await RaceCalendar.check.run($0) }
    #expect(finding.isOk && !finding.finding.contains("special"))
    #expect(own.warnings("race-calendar") == [])
    // By the new midnights, before the calendar gets there.
    let again: Statement = "SELECT racing.create_race('top_speed', 'daily', 'senior_men', '2031-06-04Z', '2031-06-05Z')"
    await #expect(throws: PostgresError.self) { try await own.owner.query(again) }
  }

  @Test func `two daemons on a fresh database make no race twice, and one runs the calendar`()
    async throws
  {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-06-02T09:00:00Z")
    let pools = [database.pool(), database.pool()]
    let systems = pools.enumerated().map {
      BuiltInSchedules.system(database, $1, modules: [RacingModule()], node: "node \($0)")
    }
    try await withThrowingDiscardingTaskGroup { group in
      for (pool, system) in zip(pools, systems) {
        group.addTask {
          try await pool.withConnection { try await system.meet($0) }
          try await BuiltInSchedules.work(system)
        }
      }
    }
    for system in systems { try await BuiltInSchedules.work(system) }
    let owner = try await database.connect()
    #expect(try await owner.query("SELECT count(*) FROM racing.race").one(Int64.self) == 160)
    let runs: Statement = "SELECT count(*) FROM settled.occurrence WHERE schedule = 'race-calendar' AND status = 'ran'"
    #expect(try await owner.query(runs).one(Int64.self) == 1)
  }

  /// Apia had no 30 December 2011; in Havana clocks go forward at midnight, and fall back over it.
  @Test(arguments: [
    ("daily", "Pacific/Apia", "2011-12-29T12:00Z", ["12-29T10:00 12-30T10:00", "12-30T10:00 12-31T10:00"]),
    ("weekly", "Pacific/Apia", "2011-12-29T12:00Z", ["12-26T10:00 01-01T10:00"]),
    ("daily", "America/Havana", "2031-03-09T12:00Z", ["03-09T05:00 03-10T04:00", "03-10T04:00 03-11T04:00"]),
    ("daily", "America/Havana", "2031-11-02T12:00Z", ["11-02T04:00 11-03T05:00", "11-03T05:00 11-04T05:00"]),
    ("monthly", "Europe/London", "2031-10-31T12:00Z", ["09-30T23:00 11-01T00:00", "11-01T00:00 12-01T00:00"]),
  ])
  func `a calendar period begins at the first instant of its date, or the next that exists`(
    duration: String, zone: String, at: String, periods: [String]
  ) async throws {
    let session = try await SettledDatabase.simulated().connect()
    let found = try await session.query(
      """
      SELECT to_char(starts_at AT TIME ZONE 'UTC', 'MM-DD"T"HH24:MI ')
        || to_char(ends_at AT TIME ZONE 'UTC', 'MM-DD"T"HH24:MI')
      FROM racing.calendar_periods(\(duration), \(zone), \(at)::text::timestamptz,
        \(at)::text::timestamptz + interval '24 hours')
      """
    ).decode(String.self)
    #expect(found == periods)
  }
}
