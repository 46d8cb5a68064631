import ControlAPI
import Cron
import Operations
import Postgres
import Scheduling
import TestSupport
import TextCoding
import Testing

@Suite("Schedules on the timeline") struct TimelineTests {
  private func ask(
    _ fixture: ScheduleFixture, _ name: String, _ from: String, _ to: String, _ sources: [TimelineSource] = []
  ) async throws -> JSONValue {
    let command = try #require(TimelineHandlers(sources).commands.first { $0.name == name })
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil,
      values: ["from": .text(from), "to": .text(to)])
    let dispatcher = CommandDispatcher([command], pool: fixture.database.pool(), node: "one")
    return try JSONValue(try await dispatcher.run(command, call))
  }

  private func marks(_ answer: JSONValue, of job: String) -> [String] {
    (answer["marks"]?.elements ?? []).filter { $0["job"]?.text == job }.map { mark in
      let values = ["at", "lane", "count", "outcome", "latenessMs"].map { mark[$0]?.serialized ?? "?" }
      return values.joined(separator: " ").replacing("\"", with: "").replacing("2031-03-", with: "")
    }
  }

  private static func own(_ cron: String, _ missed: MissedPolicy = .skip) -> BuiltInSchedule {
    BuiltInSchedule("often", cron: cron, zone: "Europe/London", missed: missed) { _, _, _ in 3 }
  }

  @Test func `the timeline has ticks with their outcome and lateness, and those to come, through a change of clocks`()
    async throws
  {
    let fixture = try await ScheduleFixture(at: "2031-03-29T22:00:00Z", [Self.own("30 0-3 * * *")])
    try await fixture.pass(to: "2031-03-30T00:30:07Z")
    let answer = try await ask(fixture, "timeline", "2031-03-30T00:00:00Z", "2031-03-30T03:00:00Z")
    #expect(
      marks(answer, of: "often") == [
        "30T00:30:00.000Z jobs 1 done 7000", "30T01:00:00.000Z jobs 1 pending null",
        "30T01:30:00.000Z jobs 1 pending null", "30T02:30:00.000Z jobs 1 pending null",
      ])
    #expect(answer["now"]?.text == "2031-03-30T00:30:07.000Z" && answer["countedBySeconds"] == .null)
    let gap = answer["marks"]?.elements.first { $0["at"]?.text == "2031-03-30T01:00:00.000Z" }
    #expect(gap?["note"]?.text == "gap")
    let late = try await ask(fixture, "lateness", "2031-03-30T00:00:00Z", "2031-03-30T03:00:00Z")
    let job = try #require(late["jobs"]?.elements.first { $0["job"]?.text == "often" })
    #expect(job["count"] == 1 && job["p50Ms"] == 7000 && job["p99Ms"] == 7000 && job["maxMs"] == 7000)
    let buckets = job["buckets"]?.elements ?? []
    #expect(buckets.count == Histogram.bounds.count + 1 && buckets.last?["upToMs"] == .null)
    #expect(buckets.filter { $0["count"] != 0 }.map { $0["upToMs"] } == [30_000])
  }

  @Test func `more than 2,000 marks are counted by quarters of an hour, past and to come`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T00:00:00Z", [Self.own("* * * * * *")])
    try await fixture.pass(to: "2031-03-29T00:10:00Z")
    let answer = try await ask(fixture, "timeline", "2031-03-29T00:00:00Z", "2031-03-29T02:00:00Z")
    #expect(answer["countedBySeconds"] == 900)
    let found = marks(answer, of: "often")
    let quarters = ["00:15", "00:30", "00:45", "01:00", "01:15", "01:30", "01:45"]
    let pending = quarters.map { "29T\($0):00.000Z jobs 900 pending null" }
    #expect(Array(found.suffix(7)) == pending)
    let first = (answer["marks"]?.elements ?? []).filter { $0["job"]?.text == "often" }
      .filter { $0["at"]?.text == "2031-03-29T00:00:00.000Z" }
    // Those of the first ten minutes have their rows; the others of the quarter are to come.
    #expect(first.compactMap { $0["count"]?.integer }.reduce(0, +) == 899)
    // The answer stays small for the longest span of the busiest line.
    let week = try await ask(fixture, "timeline", "2031-03-29T00:00:00Z", "2031-04-06T00:00:00Z")
    #expect((week["marks"]?.elements.count ?? 0) < 2000)
  }

  @Test func `marks of a thousand schedules are counted by wider spans, and none is left out`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      """
      INSERT INTO settled.occurrence (schedule, instant, due_at, planned_at, finished_at, status, reason, backfilled)
      SELECT 'gone ' || n, at, at, at, at, 'skipped', 'overlap', false FROM generate_series(1, 300) AS n,
        generate_series(timestamptz '2031-03-20Z', '2031-03-21T23:59Z', '20 minutes') AS at
      """)
    func span(_ to: String) async throws -> (seconds: JSONValue?, count: Int64) {
      let answer = try await ask(fixture, "timeline", "2031-03-20T00:00:00Z", to)
      let counts = (answer["marks"]?.elements ?? []).compactMap { $0["count"]?.integer }
      return (answer["countedBySeconds"], counts.reduce(0, +))
    }
    let (hours, day, both) = (
      try await span("2031-03-20T08:00:00Z"), try await span("2031-03-21T00:00:00Z"),
      try await span("2031-03-22T00:00:00Z")
    )
    #expect(hours.seconds == 900 && hours.count == 300 * 24)
    #expect(day.seconds == 3600 && day.count == 300 * 72)
    #expect(both.seconds == 14_400 && both.count == 300 * 144)
    // More names than marks that an answer may have.
    try await fixture.owner.script(
      """
      INSERT INTO settled.occurrence (schedule, instant, due_at, planned_at, finished_at, status, reason, backfilled)
      SELECT 'lone ' || n, at, at, at, at, 'skipped', 'overlap', false
      FROM CAST('2031-03-20Z' AS timestamptz) AS at, generate_series(1, 10001) AS n
      """)
    let error = await #expect(throws: CommandError.self) { _ = try await span("2031-03-22T00:00:00Z") }
    #expect(error?.rule == "marks")
  }

  @Test func `a failed tick, a missed one and one of a schedule that was removed are distinguished`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, started_at, finished_at, node,
        claimed_at)
      VALUES ('gone', '2031-03-29T10:00:00Z', 'failed', 'boom', now(), '2031-03-29T10:00:00Z', '2031-03-29T10:00:02Z',
          '2031-03-29T10:00:03Z', 'one', now()),
        ('gone', '2031-03-29T11:00:00Z', 'skipped', 'missed', now(), now(), NULL, now(), NULL, NULL),
        ('gone', '2031-03-29T11:30:00Z', 'skipped', 'the schedule was removed', now(), now(), NULL, now(), NULL, NULL)
      """)
    let answer = try await ask(fixture, "timeline", "2031-03-29T00:00:00Z", "2031-03-29T12:00:00Z")
    #expect(
      marks(answer, of: "gone") == [
        "29T10:00:00.000Z schedules 1 failed 2000", "29T11:00:00.000Z schedules 1 missed null",
        "29T11:30:00.000Z schedules 1 skipped null",
      ])
  }

  @Test func `the timeline refuses more than eight days`() async throws {
    let fixture = try await ScheduleFixture()
    for name in ["timeline", "lateness"] {
      let refused = await #expect(throws: CommandError.self) {
        try await ask(fixture, name, "2031-03-29T00:00:00Z", "2031-04-06T00:00:00.001Z")
      }
      #expect(refused?.rule == "to")
    }
  }
}
