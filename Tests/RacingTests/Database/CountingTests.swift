import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Activities that count in a race")
struct CountingTests {
  /// The activity that the settlement named for the athlete's entry.
  private func counted(_ day: RaceDay, _ athlete: Int64) async throws -> Int64? {
    try await day.session.query("SELECT activity_id FROM racing.entry WHERE athlete_id = \(athlete)").one(Int64?.self)
  }

  @Test(arguments: [
    ("2031-06-02T23:59:59.999999Z", false), ("2031-06-03T00:00:00Z", true),
    ("2031-06-03T23:59:59.999999Z", true), ("2031-06-04T00:00:00Z", false),
  ])
  func `an activity counts when it started in the race's half-open window`(start: String, counts: Bool) async throws {
    let day = try await RaceDay()
    let field = try await day.field([nil, 4000])
    try await day.pass(to: "2031-06-04T00:30:00Z")
    let activity = try await day.course.outing(field.athletes[0], stravaId: 77, at: start)
    try await day.validate()
    try await day.finish()
    #expect(try await counted(day, field.athletes[0]) == (counts ? activity : nil))
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [
    ("2031-06-04T00:59:59.999999Z", true), (RaceDay.due, false), ("2031-06-04T01:00:00.000001Z", false),
  ])
  func `an activity counts when it was imported before the results were due`(at instant: String, counts: Bool)
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([nil, 4000])
    try await day.pass(to: instant)
    let activity = try await day.course.outing(field.athletes[0], stravaId: 77)
    try await day.validate()
    if counts { try await day.pass(to: RaceDay.due) }
    try await day.settle()
    #expect(try await day.course.status(field.race) == "settled")
    #expect(try await counted(day, field.athletes[0]) == (counts ? activity : nil))
    #expect(try await day.differences() == [])
  }

  @Test func `an activity counts only when it is long enough for the race`() async throws {
    let day = try await RaceDay()
    let race = try await day.course.race(type: "fastest_5km")
    let (short, long) = (try await day.course.athlete(), try await day.course.athlete())
    for athlete in [short, long] { _ = try await day.course.enter(athlete, race) }
    try await day.pass(to: "2031-06-03T12:00:00Z")
    _ = try await day.course.outing(short, stravaId: 1, distance: "4999.999", movingTime: "60")
    let activity = try await day.course.outing(long, stravaId: 2, distance: "5000", movingTime: "3600")
    try await day.validate()
    try await day.finish()
    #expect(try await counted(day, short) == nil)
    #expect(try await counted(day, long) == activity)
    let score = "SELECT score FROM racing.entry WHERE athlete_id = \(long)" as Statement
    #expect(try await day.session.query(score).one(Int64.self) == 3_600_000)
    #expect(try await day.differences() == [])
  }

  @Test func `an athlete's best activity counts; of equal ones the earlier, then the lower Strava id`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([4000, 4000, 4000])
    let (better, earlier, lower) = (field.athletes[0], field.athletes[1], field.athletes[2])
    let best = try await day.course.outing(better, stravaId: 104, at: "2031-06-03T11:00:00Z", maxSpeed: "4.001")
    _ = try await day.course.outing(better, stravaId: 105, at: "2031-06-03T11:00:00Z", maxSpeed: "3.999")
    let first = try await day.course.outing(earlier, stravaId: 106, at: "2031-06-03T09:59:59.999999Z", maxSpeed: "4")
    _ = try await day.course.outing(lower, stravaId: 107, at: "2031-06-03T10:00:00Z", maxSpeed: "4")
    try await day.validate()
    try await day.finish()
    #expect(try await counted(day, better) == best)
    #expect(try await counted(day, earlier) == first)
    #expect(try await counted(day, lower) == field.activities[2])
    #expect(try await day.differences() == [])
  }

  @Test(arguments: ["disqualified", "refunded"])
  func `entries that were taken out get nothing, and their fees are not shared`(status: String) async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.remove(field.entries[0], as: status)
    try await day.finish()
    #expect(
      try await day.course.payouts(field.race).map { [$0.0, $0.1, $0.2] } == [
        [1, field.entries[1], 223], [2, field.entries[2], 59], [3, field.entries[3], 15],
      ])
    let entry = try await day.session.query(
      "SELECT status, rank::bigint, prize_pence FROM racing.entry WHERE id = \(field.entries[0])"
    ).one(String.self, Int64?.self, Int64.self)
    #expect(entry == (status, nil, 0))
    #expect(try await day.course.balance(field.athletes[0]) == 10_000)
    #expect(try await day.differences() == [])
  }

  @Test func `a race whose entries were all taken out is void and books nothing more`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    for entry in field.entries { try await day.remove(entry) }
    try await day.finish()
    let outcome = try await day.session.query("SELECT outcome, journal_id FROM racing.settlement")
      .one(String.self, Int64?.self)
    #expect(outcome == ("void", nil))
    #expect(try await day.differences() == [])
  }

  @Test func `a race is judged by the settings at its creation, not by later ones`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    for (key, value) in [
      ("racing.platform_fee_percent", "50"), ("racing.prize_shares", "50,30,20"), ("racing.results_grace", "0s"),
      ("racing.review_hold", "0s"), ("racing.entry_cutoff", "0s"),
    ] {
      _ = try await day.session.query("SELECT settled.set(\(key), \(value))")
    }
    try await day.pass(to: "2031-06-04T00:59:59.999999Z")
    try await day.settle()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.finish()
    #expect(try await day.course.payouts(field.race).map(\.2) == [297, 79, 20])
    #expect(try await day.differences() == [])
  }

  @Test func `a cancelled race is neither ended nor settled`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    for entry in field.entries { try await day.remove(entry, as: "refunded") }
    try await day.session.execute("UPDATE racing.race SET status = 'cancelled' WHERE id = \(field.race)")
    try await day.finish()
    #expect(try await day.course.status(field.race) == "cancelled")
    #expect(try await day.session.query("SELECT count(*) FROM racing.settlement").one(Int64.self) == 0)
    let events = "SELECT count(*) FROM settled.event_pending WHERE topic IN ('race.ended', 'race.settled')" as Statement
    #expect(try await day.session.query(events).one(Int64.self) == 0)
    #expect(try await day.differences() == [])
  }

  /// The database's clock has gone back since the results were due.
  @Test func `a settled race's ranking never changes, even after the clock goes back`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.finish()
    let paid = try await day.course.payouts(field.race).map(\.1)
    try await day.session.execute("UPDATE settled.installation SET clock_base = clock_base - interval '2 seconds'")
    await #expect(throws: PostgresError.self) {
      _ = try await day.course.outing(field.athletes[3], stravaId: 4, maxSpeed: "9")
    }
    // A correction counts what the settlement counted.
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(paid.dropFirst()) + [field.entries[3]])
    #expect(try await day.differences() == [])
  }
}
