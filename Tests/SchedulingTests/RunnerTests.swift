import Operations
import Engine
import Scheduling
import Postgres
import TestSupport
import Testing

@Suite("Runs of schedules") struct RunnerTests {
  /// One turn of the runner has four places, and ten runs are due.
  @Test func `a run that ends makes room for the next one within the same batch`() async throws {
    let names = (0..<10).map { "own-\($0)" }
    let fixture = try await ScheduleFixture(
      at: "2031-03-29T12:00:00Z", names.map { BuiltInSchedule($0, cron: "* * * * *") { _, _, _ in 1 } })
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    for work in fixture.system.works {
      try await work.runAllDue()
      await work.finish()
    }
    for name in names { #expect(try await fixture.rows(name) == ["03-29T12:01:00 ran"], "\(name)") }
  }

  @Test func `schedules that tick together are planned together, each by its own zone and policy`() async throws {
    let own = [
      ("london", "30 1 * * *", "Europe/London"), ("utc", "30 1 * * *", "UTC"), ("tokyo", "30 9 * * *", "Asia/Tokyo"),
    ].map { name, cron, zone in BuiltInSchedule(name, cron: cron, zone: zone) { _, _, _ in 1 } }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", own)
    // London's 01:30 of the 30th does not exist: it ticks at 02:00 summer time.
    try await fixture.pass(to: "2031-03-30T01:30:10Z")
    #expect(try await fixture.rows("london") == ["03-30T01:00:00 ran"])
    #expect(try await fixture.rows("utc") == ["03-30T01:30:00 ran"])
    #expect(try await fixture.rows("tokyo") == ["03-30T00:30:00 ran"])
    // Downtime: the latest runs, the others are accounted for.
    try await fixture.pass(to: "2031-04-01T12:00:00Z")
    #expect(
      try await fixture.rows("london") == [
        "03-30T01:00:00 ran", "03-31T00:30:00 coalesced missed: a later tick runs", "04-01T00:30:00 ran",
      ])
    #expect(try await fixture.audit().wrong == 0)
  }
}
