import ControlAPI
import Cron
import Postgres
import Scheduling
import TestSupport
import Testing

@testable import Operations

@Suite("Pages and days of occurrences") struct OccurrencePageTests {
  private static func fill(_ fixture: ScheduleFixture, schedules: Int, ticks: Int) async throws {
    try await fixture.owner.script(
      """
      DELETE FROM settled.occurrence;
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
      SELECT 's' || s, i.at, 'skipped', 'test', i.at, i.at, i.at
      FROM generate_series(1, \(schedules)) AS s, LATERAL (SELECT timestamptz '2031-03-29T00:00:00Z'
        + n * interval '1 minute' AS at FROM generate_series(1, \(ticks)) AS n) AS i;
      """)
    try await fixture.owner.execute("VACUUM ANALYZE settled.occurrence")
  }

  @Test func `pages of ticks that share an instant lose none and repeat none`() async throws {
    let fixture = try await ScheduleFixture()
    try await Self.fill(fixture, schedules: 3, ticks: 5)
    let all = try await fixture.list("occurrences").compactMap { $0["id"] as? Int }
    #expect(all.count == 15)
    for limit in [1, 2, 4, 15] as [Int64] {
      var (seen, cursor) = ([Int](), String?.none)
      while true {
        var values: [String: ParameterValue] = ["limit": .integer(limit)]
        if let cursor { values["after"] = .text(cursor) }
        let page = try await fixture.list("occurrences", values)
        guard let last = page.last else { break }
        seen += page.compactMap { $0["id"] as? Int }
        cursor = last["cursor"] as? String
        // A tick that comes meanwhile moves no page.
        try await fixture.owner.execute(
          """
          INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
          SELECT 'new', max(instant) + interval '1 minute', 'skipped', 'test', now(), now(), now() FROM settled.occurrence
          """)
      }
      #expect(seen.filter(all.contains) == all && Set(seen).count == seen.count, "pages of \(limit)")
      try await fixture.owner.execute("DELETE FROM settled.occurrence WHERE schedule = 'new'")
    }
    for cursor in ["", "1", "1.2.3", "a.b", "+1.2", "1.99999999999999999999", "-9223372036854775808.1", "1.0"] {
      #expect(await fixture.refusal("occurrences", ["after": .text(cursor)])?.rule == "after", "\(cursor)")
    }
  }

  @Test func `a row tells when it was planned and due, and whether it was filled in later`() async throws {
    let own = BuiltInSchedule("hourly", cron: "0 * * * *", missed: .skip) { _, _, _ in 0 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [own])
    try await fixture.pass(to: "2031-03-29T13:00:05Z")
    let row = try #require(try await fixture.list("occurrences", ["name": .text("hourly")]).first)
    #expect(row["dueAt"] as? String == "2031-03-29T13:00:00.000Z" && row["backfilled"] as? Bool == false)
    #expect(row["plannedAt"] as? String == "2031-03-29T13:00:05.000Z")
    let schedules = try await fixture.list("schedule.list")
    #expect(schedules.allSatisfy { $0["builtIn"] as? Bool == true })
  }

  @Test func `a page costs the same among a hundred times as many ticks`() async throws {
    let fixture = try await ScheduleFixture()
    var touched: [[Int]] = []
    for ticks in [300, 30_000] {
      try await Self.fill(fixture, schedules: 1, ticks: ticks)
      let cursor = try #require(try await fixture.list("occurrences").last?["cursor"] as? String)
      touched.append([
        try await fixture.owner.pagesTouched(
          OccurrenceReading.page(.init(after: try OccurrenceCursor(cursor)), limit: 50)),
        try await fixture.owner.pagesTouched(
          OccurrenceReading.page(.init(schedule: "s1", after: try OccurrenceCursor(cursor)), limit: 50)),
      ])
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < few + 40, "\(touched)") }
  }

  @Test func `ticks are counted by the days of a zone, a day of 23 hours included`() async throws {
    let fixture = try await ScheduleFixture()
    try await fixture.owner.script(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
      SELECT 's', i, CASE WHEN extract(hour FROM i AT TIME ZONE 'UTC') = 5 THEN 'failed'
          WHEN extract(hour FROM i AT TIME ZONE 'UTC') = 6 THEN 'coalesced' ELSE 'skipped' END,
        CASE WHEN extract(hour FROM i AT TIME ZONE 'UTC') = 7 THEN 'missed' ELSE 'test' END, i, i, i
      FROM generate_series('2031-03-29T00:00:00Z'::timestamptz, '2031-03-31T23:00:00Z', '1 hour') AS i
      """)
    let range: [String: ParameterValue] = [
      "zone": .text("Europe/London"), "from": .text("2031-03-29T00:00:00Z"), "to": .text("2031-03-31T23:00:00Z"),
      "schedule": .text("s"),
    ]
    let answer = try #require(try await fixture.ask("occurrences.days", range) as? [String: Any])
    let days = try #require(answer["days"] as? [[String: Any]])
    #expect(days.compactMap { $0["day"] as? String } == ["2031-03-29", "2031-03-30", "2031-03-31"])
    #expect(days.compactMap { $0["skipped"] as? Int } == [21, 20, 21])
    #expect(days.compactMap { $0["failed"] as? Int } == [1, 1, 1])
    #expect(days.compactMap { $0["missed"] as? Int } == [2, 2, 2])
    #expect(
      await fixture.refusal("occurrences.days", range.merging(["schedule": .text("x")]) { $1 })?.rule == "schedule")
  }

  @Test func `the ticks of a line are counted by day, and a wrong line's place is a number`() async throws {
    let fixture = try await ScheduleFixture()
    var values: [String: ParameterValue] = [
      "cron": .text("30 1 * * *"), "zone": .text("Europe/London"), "from": .text("2031-03-29T00:00:00Z"),
      "to": .text("2031-03-31T23:00:00Z"),
    ]
    func days() async throws -> [String] {
      let answer = try #require(try await fixture.ask("schedule.days", values) as? [String: Any])
      return try #require(answer["days"] as? [[String: Any]]).map { day in
        ["day", "ticks", "first", "gaps", "folds"].map { "\(day[$0] ?? "?")" }.joined(separator: " ")
      }
    }
    #expect(
      try await days() == [
        "2031-03-29 1 2031-03-29T01:30:00.000Z 0 0", "2031-03-30 1 2031-03-30T01:00:00.000Z 1 0",
        "2031-03-31 1 2031-03-31T00:30:00.000Z 0 0",
      ])
    values["cron"] = .text("* * * * * *")
    (values["from"], values["to"]) = (.text("2031-01-01T00:00:00Z"), .text("2032-02-05T00:00:00Z"))
    let busiest = try await days()
    #expect(busiest.count == 400 && busiest[0].hasPrefix("2031-01-01 86400 "))
    for (cron, position) in [("0 25 * * *", 3), ("* * * *", 8), ("0 0 1-100000000 * *", 7)] {
      values["cron"] = .text(cron)
      let refused = await fixture.refusal("schedule.days", values)
      #expect(refused?.rule == "cron" && refused?.position == position, "\(cron)")
    }
  }
}
