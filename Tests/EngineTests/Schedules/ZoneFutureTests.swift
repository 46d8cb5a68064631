import Engine
import Postgres
import Schedules
import TestSupport
import Testing

@Suite("New time zone data") struct ZoneFutureTests {
  @Test("is noticed on a fresh connection: ticks ahead are planned anew, and an event says so")
  func noticed() async throws {
    let own = InternalSchedule("daily", cron: "30 2 * * *", zone: "Europe/London", missed: .skip) { _, _, _ in 0 }
    let town = try await ScheduleTown(at: "2031-03-29T12:00:00Z", [own])
    try await town.pass(to: "2031-04-05T12:00:00Z")
    let fresh = try await town.database.connect(.daemon)
    #expect(try await ZoneFuture.check(fresh) == [])
    // As if it had been known that London gives up its summer time in 2032, and planned so.
    try await town.owner.script(
      """
      UPDATE settled.zone_future SET offsets = (SELECT jsonb_agg(o ORDER BY (o->>0)::bigint)
        FROM jsonb_array_elements(offsets) AS o WHERE (o->>0)::bigint < extract(epoch FROM timestamptz '2032-01-01'))
        WHERE zone = 'Europe/London';
      UPDATE settled.schedule SET next_tick_at = '2031-04-06T02:30:00Z' WHERE name = 'daily';
      """)
    #expect(try await ZoneFuture.check(fresh) == ["Europe/London"])
    #expect(try await ZoneFuture.check(fresh) == [])
    let next: Statement = "SELECT settled.iso(next_tick_at) FROM settled.schedule WHERE name = 'daily'"
    #expect(try await town.owner.query(next).one(String.self) == "2031-04-06T01:30:00.000Z")
    let events: Statement = "SELECT payload->>'zones' FROM settled.event_pending WHERE topic = 'time_zones.changed'"
    #expect(try await town.owner.query(events).decode(String.self) == ["[\"Europe/London\"]"])
    try await town.pass(to: "2031-04-08T12:00:00Z")
    #expect(try await town.audit().wrong == 0)
  }
}
