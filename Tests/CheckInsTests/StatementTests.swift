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
      DailyResetRows.keep([("UTC", .none)]), DailyResetRows.hasTime(milliseconds: 1),
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
}
