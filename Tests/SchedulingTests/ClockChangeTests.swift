import ControlAPI
import Operations
import Postgres
import TestSupport
import Testing

@Suite("Schedules on days of clock changes") struct ClockChangeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let zone: String
    let cron: String
    let from: String
    let ticks: [String]
    var testDescription: String { "\(zone), \(cron)" }
  }

  /// The ticks as `instant note`, from the first that is not before `from`.
  static let cases = [
    Case(
      zone: "Africa/Cairo", cron: "0 0 * * *", from: "2024-04-25T00:00:00Z",
      ticks: ["2024-04-25T22:00 gap", "2024-04-26T21:00"]),
    Case(
      zone: "Asia/Beirut", cron: "@daily", from: "2024-03-30T00:00:00Z",
      ticks: ["2024-03-30T22:00 gap", "2024-03-31T21:00"]),
    Case(
      zone: "America/Santiago", cron: "0 0 * * *", from: "2024-09-08T00:00:00Z",
      ticks: ["2024-09-08T04:00 gap", "2024-09-09T03:00"]),
    Case(
      zone: "America/Havana", cron: "0 0 * * *", from: "2024-03-10T00:00:00Z",
      ticks: ["2024-03-10T05:00 gap", "2024-03-11T04:00"]),
    Case(
      zone: "America/Havana", cron: "0 0 * * *", from: "2024-11-03T00:00:00Z",
      ticks: ["2024-11-03T04:00 fold", "2024-11-04T05:00"]),
    Case(
      zone: "Australia/Lord_Howe", cron: "45 1 * * *", from: "2024-04-06T00:00:00Z",
      ticks: ["2024-04-06T14:45 fold", "2024-04-07T15:15"]),
    Case(
      zone: "Australia/Lord_Howe", cron: "15 2 * * *", from: "2024-10-05T00:00:00Z",
      ticks: ["2024-10-05T15:30 gap", "2024-10-06T15:15"]),
    Case(
      zone: "Pacific/Apia", cron: "0 8 * * *", from: "2011-12-29T00:00:00Z",
      ticks: ["2011-12-29T18:00", "2011-12-30T10:00 gap", "2011-12-30T18:00"]),
    Case(
      zone: "America/St_Johns", cron: "30 23 * * *", from: "2006-10-29T00:00:00Z",
      ticks: ["2006-10-29T02:00 fold", "2006-10-30T03:00"]),
    Case(
      zone: "America/St_Johns", cron: "0 0 * * *", from: "2006-10-29T00:00:00Z",
      ticks: ["2006-10-29T02:30 fold", "2006-10-30T03:30"]),
    Case(
      zone: "Europe/London", cron: "30 1 * * *", from: "2024-03-31T00:45:00Z",
      ticks: ["2024-03-31T01:00 gap", "2024-04-01T00:30"]),
    Case(
      zone: "Europe/London", cron: "30 1 * * *", from: "2024-10-27T00:00:00Z",
      ticks: ["2024-10-27T00:30 fold", "2024-10-28T01:30"]),
    Case(
      zone: "America/New_York", cron: "30 2 * * *", from: "2024-03-10T00:00:00Z",
      ticks: ["2024-03-10T07:00 gap", "2024-03-11T06:30"]),
    Case(
      zone: "America/New_York", cron: "30 1 * * *", from: "2024-11-03T00:00:00Z",
      ticks: ["2024-11-03T05:30 fold", "2024-11-04T06:30"]),
    Case(
      zone: "Antarctica/Troll", cron: "30 1 * * *", from: "2024-03-30T12:00:00Z",
      ticks: ["2024-03-31T01:00 gap", "2024-03-31T23:30"]),
    Case(
      zone: "Antarctica/Troll", cron: "30 1 * * *", from: "2024-10-26T12:00:00Z",
      ticks: ["2024-10-26T23:30 fold", "2024-10-28T01:30"]),
    // Several times of a gap come to its one end, and the time that stands there is the same tick.
    Case(
      zone: "Europe/London", cron: "15,30,45 1,2 * * *", from: "2024-03-31T00:30:00Z",
      ticks: ["2024-03-31T01:00 gap", "2024-03-31T01:15", "2024-03-31T01:30"]),
    // With seconds it is a fixed time too; cronsim takes such a one for a cadence.
    Case(
      zone: "Europe/London", cron: "15 30 1 * * *", from: "2024-10-27T00:00:00Z",
      ticks: ["2024-10-27T00:30 fold", "2024-10-28T01:30"]),
    // A cadence has no tick in a gap, and ticks twice in a fold.
    Case(
      zone: "Europe/London", cron: "*/30 1 * * *", from: "2024-03-31T00:00:00Z",
      ticks: ["2024-04-01T00:00", "2024-04-01T00:30"]),
    Case(
      zone: "Europe/London", cron: "*/30 1 * * *", from: "2024-10-27T00:00:00Z",
      ticks: ["2024-10-27T00:00 fold", "2024-10-27T00:30 fold", "2024-10-27T01:00 fold", "2024-10-27T01:30 fold"]),
  ]

  private func ticks(_ fixture: ScheduleFixture, _ some: Case, count: Int) async throws -> [String] {
    try await fixture.list(
      "schedule.preview",
      [
        "cron": .text(some.cron), "zone": .text(some.zone), "from": .text(some.from), "count": .integer(Int64(count)),
      ]
    ).map { tick in
      let instant = (tick["instant"] as? String ?? "").prefix(16)
      return (tick["note"] as? String).map { "\(instant) \($0)" } ?? String(instant)
    }
  }

  @Test func `a fixed time ticks once a day, and a cadence keeps real time`() async throws {
    let fixture = try await ScheduleFixture()
    for some in Self.cases {
      #expect(try await ticks(fixture, some, count: some.ticks.count) == some.ticks, "\(some.testDescription)")
    }
  }

  /// Of a few ticks in 61 years all are shown.
  @Test func `a preview marks its last tick where it ends before the count`() async throws {
    let fixture = try await ScheduleFixture()
    let rare = Case(zone: "UTC", cron: "0 0 29 2 *", from: "2024-01-01T00:00:00Z", ticks: [])
    let all = try await ticks(fixture, rare, count: 100)
    #expect(all.count == 16 && all.last == "2084-02-29T00:00 last", "\(all)")
    #expect(try await ticks(fixture, rare, count: 2) == ["2024-02-29T00:00", "2028-02-29T00:00"])
  }

  @Test func `a schedule of every 10 minutes keeps its interval through folds and gaps`() async throws {
    let fixture = try await ScheduleFixture()
    let changes = [
      ("Europe/London", "2024-10-26T23:30:00Z"), ("America/New_York", "2024-11-03T04:30:00Z"),
      ("Europe/London", "2024-03-31T00:00:00Z"), ("Antarctica/Troll", "2024-10-26T22:00:00Z"),
    ]
    for (zone, from) in changes {
      let all = try await fixture.list(
        "schedule.preview",
        ["cron": .text("*/10 * * * *"), "zone": .text(zone), "from": .text(from), "count": .integer(40)])
      let instants = all.compactMap { $0["instant"] as? String }
      let regular: Statement = """
        SELECT ARRAY(SELECT settled.iso(\(from)::text::timestamptz + i * interval '10 minutes')
          FROM generate_series(0, 39) AS i)
        """
      #expect(try await fixture.owner.query(regular).one([String].self) == instants, "\(zone)")
    }
  }
}
