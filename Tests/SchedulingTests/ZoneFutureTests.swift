import Scheduling
import Postgres
import Cron
import TestSupport
import Testing

@Suite("New time zone data") struct ZoneFutureTests {
  @Test func `new time zone data is noticed on a fresh connection, and future ticks are planned again`() async throws {
    let own = BuiltInSchedule("daily", cron: "30 2 * * *", zone: "Europe/London", missed: .skip) { _, _, _ in 0 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [own])
    try await fixture.pass(to: "2031-04-05T12:00:00Z")
    let fresh = try await fixture.database.connect(.daemon)
    #expect(try await ZoneFuture.check(fresh) == [])
    // As if it had been known that London gives up its summer time in 2032, and planned so.
    try await fixture.owner.script(
      """
      UPDATE settled.zone_future SET offsets = (SELECT jsonb_agg(o ORDER BY (o->>0)::bigint)
        FROM jsonb_array_elements(offsets) AS o WHERE (o->>0)::bigint < extract(epoch FROM timestamptz '2032-01-01'))
        WHERE zone = 'Europe/London';
      UPDATE settled.schedule SET next_tick_at = '2031-04-06T02:30:00Z' WHERE name = 'daily';
      """)
    #expect(try await ZoneFuture.check(fresh) == ["Europe/London"])
    #expect(try await ZoneFuture.check(fresh) == [])
    let next: Statement = "SELECT settled.iso(next_tick_at) FROM settled.schedule WHERE name = 'daily'"
    #expect(try await fixture.owner.query(next).one(String.self) == "2031-04-06T01:30:00.000Z")
    let events: Statement = "SELECT payload->>'zones' FROM settled.event_pending WHERE topic = 'time_zones.changed'"
    #expect(try await fixture.owner.query(events).decode(String.self) == ["[\"Europe/London\"]"])
    try await fixture.pass(to: "2031-04-08T12:00:00Z")
    #expect(try await fixture.audit().wrong == 0)
  }

  @Test func `a reading by a clock that was ahead is compared as any other`() async throws {
    let own = BuiltInSchedule("daily", cron: "30 2 * * *", zone: "Europe/London", missed: .skip) { _, _, _ in 0 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [own])
    try await fixture.pass(to: "2031-03-30T12:00:00Z")
    let fresh = try await fixture.database.connect(.daemon)
    _ = try await ZoneFuture.check(fresh)
    try await fixture.owner.execute(
      """
      UPDATE settled.zone_future SET read_at = clock_timestamp() + interval '9 years',
        offsets = jsonb_build_array(jsonb_build_array((offsets #>> '{0,0}')::bigint, 7200)) WHERE zone = 'Europe/London'
      """)
    #expect(try await ZoneFuture.check(fresh) == ["Europe/London"])
    #expect(try await ZoneFuture.check(fresh) == [])
  }

  /// As after an upgrade of a server that lacks tzdata-legacy: what was in Paris is
  /// in a zone that the server knows not.
  private func loseParis(_ fixture: ScheduleFixture) async throws {
    try await fixture.owner.script(
      """
      INSERT INTO settled.time_zone VALUES ('Mars/Base');
      UPDATE settled.schedule SET zone = 'Mars/Base' WHERE zone = 'Europe/Paris';
      UPDATE settled.schedule_period SET zone = 'Mars/Base' WHERE zone = 'Europe/Paris';
      UPDATE settled.zone_future SET zone = 'Mars/Base' WHERE zone = 'Europe/Paris';
      """)
  }

  @Test func `a time zone that the new data lacks keeps its schedules as they were, and affects no others`()
    async throws
  {
    let own = ["Europe/London", "Europe/Paris"].map { zone in
      BuiltInSchedule("in.\(zone.suffix(5))", cron: "30 2 * * *", zone: zone) { _, _, _ in 0 }
    }
    let fixture = try await ScheduleFixture(at: "2031-03-27T12:00:00Z", own)
    let fresh = try await fixture.database.connect(.daemon)
    _ = try await ZoneFuture.check(fresh)
    try await loseParis(fixture)
    #expect(try await ZoneFuture.check(fresh) == [])
    for day in 28...31 { try await fixture.pass(to: "2031-03-\(day)T12:00:00Z") }
    // Paris goes over to summer time on the 30th, from two to three.
    let rows = try await fixture.rows("in.Paris")
    #expect(
      rows == [
        "03-28T01:30:00 ran", "03-29T01:30:00 ran", "03-30T01:00:00 ran", "03-31T00:30:00 ran",
      ])
    #expect(try await fixture.rows("in.ondon").count == 4)
    #expect(try await fixture.audit().wrong == 0)
    // Long afterwards nothing has been forgotten of what was known, and the server that knows it again changes nothing.
    try await fixture.database.setClock("2031-07-31T12:00:00Z")
    #expect(try await ZoneFuture.check(fresh) == [])
  }

  @Test func `a time zone that disappears before its check stops no schedule`() async throws {
    let own = BuiltInSchedule("known", cron: "0 5 * * *", zone: "UTC") { _, _, _ in 0 }
    let fixture = try await ScheduleFixture(at: "2031-03-28T12:00:00Z", [own])
    let added = BuiltInSchedule("added", cron: "30 2 * * *", zone: "Europe/Paris") { _, _, _ in 0 }
    try await ScheduleDefinitions.install([added], fixture.owner)
    try await loseParis(fixture)
    for day in 29...31 { try await fixture.pass(to: "2031-03-\(day)T12:00:00Z") }
    #expect(try await fixture.rows("known") == ["03-29T05:00:00 ran", "03-30T05:00:00 ran", "03-31T05:00:00 ran"])
    #expect(
      try await fixture.rows("added").map { $0.prefix(14) } == ["03-29T01:30:00", "03-30T01:00:00", "03-31T00:30:00"])
    #expect(try await fixture.audit().wrong == 0)
  }
}
