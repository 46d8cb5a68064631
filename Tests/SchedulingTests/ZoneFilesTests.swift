import Engine
import Scheduling
import Postgres
import Cron
import TestSupport
import Testing

/// Real servers whose time zone files are replaced while sessions have read them.
@Suite("New time zone files under a running server", .timeLimit(.minutes(3))) struct ZoneFilesTests {
  private static let london = "Europe/London"

  /// Noon of 28 March 2031, two days before clocks go ahead: a schedule at half past two in London. The check of time
  /// zones runs when the test says so.
  private func fixture(_ server: ZoneServer) async throws -> (ScheduleFixture, [BuiltInSchedule]) {
    let own = BuiltInSchedule("daily", cron: "30 2 * * *", zone: Self.london) { _, _, _ in 0 }
    let database = try await SettledDatabase.simulated(in: server.cluster)
    let fixture = try await ScheduleFixture(database, at: "2031-03-28T12:00:00Z", [own])
    try await fixture.owner.transaction { transaction in
      let check = try #require(try await ScheduleDefinitions.lock(BuiltInSchedule.timeZones, transaction))
      try await ScheduleDefinitions.pause(check, true, now: BusinessClock.read(transaction), transaction)
    }
    return (fixture, [own])
  }

  private func shown(_ session: Connection) async throws -> String {
    try await session.query("SELECT (timestamptz '2031-04-02 12:00Z' AT TIME ZONE 'Europe/London')::time::text")
      .one(String.self)
  }

  private func dayStarts(_ sessions: Connection...) async throws -> [String] {
    var starts: [String] = []
    for session in sessions {
      starts += try await session.query("SELECT settled.iso(settled.day_start('2031-04-02', 'Europe/London'))")
        .decode(String.self)
    }
    return starts
  }

  private func check(_ fixture: ScheduleFixture) async throws -> [String] {
    let fresh = try await fixture.database.connect(.daemon)
    let changed = try await ZoneFuture.check(fresh)
    await fresh.close()
    return changed
  }

  @Test(.enabled(if: ZoneServer.absence == nil, "\(ZoneServer.absence ?? "")"))
  func `sessions old and new plan alike by what the database knows, and change together`() async throws {
    let server = try await ZoneServer()
    let (fixture, own) = try await fixture(server)
    for day in ["03-29", "03-30", "03-31"] { try await fixture.pass(to: "2031-\(day)T12:00:00Z") }
    let old = try await fixture.database.connect(.daemon)
    #expect(try await shown(old) == "13:00:00")
    try server.replace(Self.london, by: "Africa/Abidjan")
    let new = try await fixture.database.connect(.daemon)
    #expect(try await [shown(old), shown(new)] == ["13:00:00", "12:00:00"])

    // Nobody has noticed yet: what was known counts, for a node with new sessions too.
    let pool = fixture.database.pool()
    let other = ScheduleFixture.system(own, fixture.database, pool, node: "two")
    try await fixture.pass(to: "2031-04-01T12:00:00Z", other)
    var starts = try await dayStarts(old, new)
    #expect(starts == ["2031-04-01T23:00:00.000Z", "2031-04-01T23:00:00.000Z"])
    var changed = try await check(fixture)
    #expect(changed == [Self.london])
    // An old session changes nothing back, and goes by the new rules.
    changed = try await ZoneFuture.check(old)
    #expect(changed == [])
    starts = try await dayStarts(old, new)
    #expect(starts == ["2031-04-02T00:00:00.000Z", "2031-04-02T00:00:00.000Z"])
    try await fixture.pass(to: "2031-04-02T12:00:00Z")
    try await fixture.pass(to: "2031-04-03T12:00:00Z", other)
    try await fixture.pass(to: "2031-04-04T12:00:00Z")
    let rows = try await fixture.rows("daily")
    #expect(
      rows == [
        "03-29T02:30:00 ran", "03-30T01:30:00 ran", "03-31T01:30:00 ran", "04-01T01:30:00 ran", "04-02T02:30:00 ran",
        "04-03T02:30:00 ran", "04-04T02:30:00 ran",
      ])
    #expect(try await fixture.audit().wrong == 0)
    await pool.close()
    await server.stop()
  }

  @Test(.enabled(if: ZoneServer.absence == nil, "\(ZoneServer.absence ?? "")"))
  func `a server that read a zone when it started is a problem until it is restarted`() async throws {
    let server = try await ZoneServer(settings: ["TimeZone": Self.london])
    let (fixture, _) = try await fixture(server)
    try server.replace(Self.london, by: "Africa/Abidjan")
    let problems: Statement = "SELECT problem FROM settled.problem WHERE name = \(ZoneFuture.staleProblem)"
    var changed = try await check(fixture)
    #expect(changed == [])
    let stated = try await fixture.owner.query(problems).decode(String.self)
    #expect(stated.first?.contains("PostgreSQL is restarted") == true)
    try await server.restart()
    changed = try await check(fixture)
    #expect(changed == [Self.london])
    let owner = try await fixture.database.connect()
    #expect(try await owner.query(problems).decode(String.self).isEmpty)
    await server.stop()
  }
}
