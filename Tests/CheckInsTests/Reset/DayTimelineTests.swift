import Operations
import Postgres
import TestSupport
import Testing

@testable import CheckIns

@Suite("Days on the timeline") struct DayTimelineTests {
  private func marks(_ habit: Habit, _ statement: Statement) async throws -> [String] {
    try await habit.session.query(
      """
      SELECT concat_ws(' ', settled.iso(m.at), m.key, m.count, m.outcome, m.lateness) FROM (\(fragment: statement)) AS m
      ORDER BY m.at
      """
    ).decode(String.self)
  }

  private func range(_ habit: Habit, _ from: String, _ to: String) async throws -> InstantRange {
    let (low, high) = try await habit.session.query("SELECT \(from)::text::timestamptz, \(to)::text::timestamptz")
      .one(Timestamp.self, Timestamp.self)
    return InstantRange(from: low, to: high)
  }

  @Test func `the next day of each zone is on the timeline with its people, and a closed one with its lateness`()
    async throws
  {
    let habit = try await Habit(at: "2031-03-29T12:00:00Z")
    for user in ["ann", "bob"] {
      try await habit.onboard(user, "Europe/London")
      try await habit.submit(user)
    }
    let weekend = try await range(habit, "2031-03-29T12:00:00Z", "2031-03-31T12:00:00Z")
    #expect(
      try await marks(habit, DayTimeline.coming(weekend)) == [
        "2031-03-30T00:00:00.000Z Europe/London 2031-03-29 2 pending"
      ])
    try await habit.session.script(
      """
      INSERT INTO checkins.day VALUES ('Europe/London', '2031-03-29', 2, 0, '2031-03-30T00:00:03Z'),
        ('Europe/London', '2031-03-30', 2, 1, '2031-03-30T23:00:01Z'), ('Europe/London', '2031-03-31', 2, 1, '2031-03-31T23:00:01Z')
      """)
    #expect(
      try await marks(habit, DayTimeline.closed(weekend)) == [
        "2031-03-30T00:00:03.000Z Europe/London 2031-03-29 2 done 3000",
        "2031-03-30T23:00:01.000Z Europe/London 2031-03-30 2 done 1000",
      ])
  }

  @Test func `closed days are read along the index among a hundred times as many`() async throws {
    let habit = try await Habit(at: "2031-03-29T12:00:00Z")
    for (index, zone) in ["Europe/London", "Asia/Tokyo", "America/New_York"].enumerated() {
      try await habit.onboard("user \(index)", zone)
    }
    let range = try await range(habit, "2031-03-22T00:00:00Z", "2031-03-30T00:00:00Z")
    var touched: [Int] = []
    for days in [300, 30_000] {
      try await habit.session.script(
        """
        DELETE FROM checkins.day;
        INSERT INTO checkins.day SELECT z.name, d::date, 1, 0, d + interval '26 hours' FROM checkins.zone AS z,
          generate_series(date '2031-03-29' - \(days), date '2031-03-29', interval '1 day') AS d;
        """)
      try await habit.session.execute("VACUUM ANALYZE checkins.day")
      touched.append(try await habit.session.pagesTouched(DayTimeline.closed(range)))
    }
    // All days of the zones stand on more than 700 pages; the plans of functions may be made once more.
    #expect(touched[1] < touched[0] * 2 + 200, "\(touched)")
  }
}
