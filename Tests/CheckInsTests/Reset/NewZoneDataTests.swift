import Scheduling
import CheckIns
import Postgres
import TestSupport
import Testing

@Suite("New time zone data") struct NewZoneDataTests {
  private func check(_ habit: Habit) async throws {
    let fresh = try await habit.database.connect(.daemon)
    _ = try await ZoneFuture.check(fresh, updates: CheckInsModule().zoneUpdates)
    await fresh.close()
  }

  private func ends(_ habit: Habit) async throws -> [String] {
    try await habit.session.query(
      "SELECT concat_ws(' ', name, next_date, settled.iso(next_at)) FROM checkins.zone ORDER BY name"
    ).decode(String.self)
  }

  @Test func `new time zone data moves the ends of days at once, and only those that it changes`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    for zone in ["Asia/Tokyo", "Europe/London", "Europe/Paris"] { try await habit.onboard("of \(zone)", zone) }
    let known = try await ends(habit)
    // As if the tz data of that day had let London's day end later, and Paris's earlier.
    try await habit.session.execute(
      "UPDATE checkins.zone SET next_at = next_at + interval '1 hour' WHERE name = 'Europe/London'")
    try await habit.session.execute(
      "UPDATE checkins.zone SET next_at = next_at - interval '1 hour' WHERE name = 'Europe/Paris'")
    try await check(habit)
    #expect(try await ends(habit) == known)
    try await habit.clock("2031-03-29T00:00:00Z")
    #expect(try await habit.reset() == 3)
  }

  @Test func `a zone whose current date disappears moves to the end of its next date`()
    async throws
  {
    let habit = try await Habit(at: "2011-12-29T12:00:00Z")
    try await habit.onboard("ann", "Pacific/Apia")
    try await habit.session.execute(
      "UPDATE checkins.zone SET next_date = '2011-12-30', next_at = '2011-12-31T11:00:00Z'")
    try await check(habit)
    #expect(try await ends(habit) == ["Pacific/Apia 2011-12-30 2011-12-31T10:00:00.000Z"])
  }

  @Test func `a zone that new time zone data removes keeps its days, and stops no other zone`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    try await habit.forget("Europe/Paris", of: "bob")
    let known = try await ends(habit)
    try await habit.session.execute(
      "UPDATE checkins.zone SET next_at = next_at + interval '1 hour' WHERE name LIKE 'E%'")
    try await check(habit)
    #expect(try await ends(habit) == known)
  }
}
