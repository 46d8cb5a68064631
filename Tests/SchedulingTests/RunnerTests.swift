import Operations
import Engine
import Scheduling
import Postgres
import TestSupport
import Testing

@Suite("Runs of schedules") struct RunnerTests {
  /// One turn of the runner has four places, and ten runs are due.
  @Test("that end make room for the next, within one turn")
  func refills() async throws {
    let names = (0..<10).map { "own-\($0)" }
    let town = try await ScheduleFixture(
      at: "2031-03-29T12:00:00Z", names.map { BuiltInSchedule($0, cron: "* * * * *") { _, _, _ in 1 } })
    try await town.database.setClock("2031-03-29T12:01:00Z")
    for work in town.house.works {
      try await work.runAllDue()
      await work.finish()
    }
    for name in names { #expect(try await town.rows(name) == ["03-29T12:01:00 ran"], "\(name)") }
  }

  @Test("of many schedules on one instant are planned together, each by its own zone and policy")
  func together() async throws {
    let own = [
      ("london", "30 1 * * *", "Europe/London"), ("utc", "30 1 * * *", "UTC"), ("tokyo", "30 9 * * *", "Asia/Tokyo"),
    ].map { name, cron, zone in BuiltInSchedule(name, cron: cron, zone: zone) { _, _, _ in 1 } }
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", own)
    // London's 01:30 of the 30th does not exist: it ticks at 02:00 summer time.
    try await town.pass(to: "2031-03-30T01:30:10Z")
    #expect(try await town.rows("london") == ["03-30T01:00:00 ran"])
    #expect(try await town.rows("utc") == ["03-30T01:30:00 ran"])
    #expect(try await town.rows("tokyo") == ["03-30T00:30:00 ran"])
    // Downtime: the latest runs, the others are accounted for.
    try await town.pass(to: "2031-04-01T12:00:00Z")
    #expect(
      try await town.rows("london") == [
        "03-30T01:00:00 ran", "03-31T00:30:00 coalesced missed: a later tick runs", "04-01T00:30:00 ran",
      ])
    #expect(try await town.audit().wrong == 0)
  }
}
