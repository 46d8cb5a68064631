import Engine
import Operations
import Postgres
import TestSupport
import Testing

@testable import CheckIns

@Suite("Every statement of check-ins") struct StatementTests {
  private static let now = Timestamp(microseconds: 0)

  private static var endStreaks: Statement {
    get throws { DailyResetRows.endStreaks(try reset, after: .none, limit: 1000, at: now) }
  }

  private static var reset: DailyReset {
    get throws {
      let days = ["2031-03-29", "2031-03-30", "2031-03-31"].enumerated().map {
        ZoneDay(date: $0.element, start: Timestamp(microseconds: Int64($0.offset)))
      }
      return try DailyReset(
        .init(zone: "UTC", date: "2031-03-29", hasEndingStreaks: true, days: days), at: Timestamp(microseconds: 9))
    }
  }

  private static func statements() throws -> [Statement] {
    let reset = try reset
    let closed = ClosedDay(zone: "UTC", date: reset.date, checkedIn: 1, streaksEnded: 2)
    let range = InstantRange(from: now, to: Timestamp(microseconds: 1))
    return [
      DayTimeline.closed(range), DayTimeline.coming(range),
      Statement(raw: DailyResetJob().source.nextDue(job: "daily-reset")),
      Statement(raw: DailyResetJob().source.schedule),
      DailyResetJob().lock(LockRequest(limit: 1, except: ["UTC"])),
      DailyResetRows.zones(["UTC"]),
      DailyResetRows.advance([reset]), DailyResetRows.takeTallies([reset]),
      try endStreaks,
      DailyResetRows.record([closed], at: now), DailyResetRows.followZones,
      DailyResetRows.meetZones,
      DailyResetRows.keep([("UTC", .none)]), DailyResetRows.hasTime(milliseconds: 1), CheckInsStatus.statement(days: 1),
    ] + DailyResetRows.holdDays(of: ["UTC"])
  }

  @Test func `every statement of check-ins fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements()) == [])
  }

  @Test func `each statement of check-ins returns the columns that its decoder reads`() async throws {
    let decoded = [
      DecodedStatement(DailyResetRows.zones(["UTC"])) { _ = try $0.decodeAll(as: DailyReset.Input.init) },
      DecodedStatement(try Self.endStreaks) { _ = try $0.decodeFirst(as: StreakPiece.Found.init) },
    ]
    #expect(try await SettledDatabase.decodingErrors(decoded) == [])
  }

  @Test func `the statement that looks for ended streaks uses their index`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.session.execute(
      """
      WITH p AS (
        INSERT INTO checkins.profile (user_id, is_onboarded, created_at, zone_since)
        SELECT 'p' || n, true, settled.clock(), '2031-01-01' FROM generate_series(1, 20000) AS n RETURNING id
      )
      INSERT INTO checkins.streak (profile_id, zone, started_on, last_on, length, ends_on)
      SELECT id, 'Z/' || id % 40, '2031-03-28', '2031-03-28', 1, '2031-03-29' FROM p
      """)
    try await habit.session.execute("ANALYZE checkins.streak")
    try await habit.onboard("ann", "Europe/London")
    for statement in [try Self.endStreaks, DailyResetRows.zones(["Europe/London"])] {
      let plan = try await habit.session.query("EXPLAIN \(fragment: statement)").decode(String.self)
      #expect(plan.contains { $0.contains("streak_to_end") }, "\(plan)")
    }
  }

  @Test func `the status of check-ins has the next midnights with their people, and the days that were closed`()
    async throws
  {
    let habit = try await Habit(at: "2031-06-10T09:00:00Z")
    for (user, zone) in [("ann", "Europe/London"), ("bob", "Europe/London"), ("cat", "Asia/Tokyo")] {
      try await habit.onboard(user, zone)
      _ = try await habit.submit(user)
    }
    try await habit.onboard("dan", "Asia/Tokyo")
    // Of one zone four hundred days are closed.
    try await habit.session.script(
      """
      INSERT INTO checkins.day (zone, date, checked_in, streaks_ended, closed_at)
        SELECT 'Asia/Tokyo', date '2031-06-09' - g, 3, 1, settled.clock() FROM generate_series(0, 399) AS g;
      INSERT INTO checkins.day (zone, date, checked_in, streaks_ended, closed_at)
        VALUES ('Europe/London', '2031-06-09', 4, 0, settled.clock());
      """)
    let shown = try await habit.session.query(
      """
      SELECT concat_ws(' ', s ->> 'zones', s ->> 'overdue', m, d)
      FROM (SELECT (\(fragment: CheckInsStatus.statement(days: 2)))) AS one (s),
        LATERAL (SELECT string_agg(concat_ws(' ', x ->> 'at', x ->> 'zones', x ->> 'people'), ', ' ORDER BY n)
          FROM jsonb_array_elements(s -> 'midnights') WITH ORDINALITY AS l (x, n)) AS midnights (m),
        LATERAL (SELECT string_agg(concat_ws(' ', x ->> 'day', x ->> 'zones', x ->> 'checkedIn', x ->> 'streaksEnded'),
          ', ' ORDER BY n) FROM jsonb_array_elements(s -> 'days') WITH ORDINALITY AS l (x, n)) AS days (d)
      """
    ).one(String.self)
    #expect(shown == "2 0 2031-06-10T15:00:00.000Z 1 1, 2031-06-10T23:00:00.000Z 1 2 2031-06-09 2 7 1")
    try await habit.session.execute("ANALYZE checkins.day")
    let all = try await habit.session.query(
      "SELECT jsonb_array_length((\(fragment: CheckInsStatus.statement(days: 400))) -> 'days')::bigint"
    ).one(Int64.self)
    #expect(all == 399)
    let few = try await habit.session.pagesTouched(CheckInsStatus.statement(days: 2))
    #expect(few < 60, "\(few)")
  }
}
