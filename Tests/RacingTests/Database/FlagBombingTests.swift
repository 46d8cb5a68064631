import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A leader flagged by three users one minute before the end", .serialized)
struct FlagBombingTests {
  /// Four ranked; the leader has been flagged. `escalates`: whether the escalation job runs.
  private func bombed(escalates: Bool) async throws -> (day: RaceDay, field: RaceDay.Field, leader: Int64) {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let leader = try #require(field.activities[0])
    let users = try await day.course.spectators(3)
    try await day.pass(to: "2031-06-03T23:59:00Z")
    try await day.course.flag(leader, by: users)
    if escalates { try await day.escalate() }
    try await day.finish()
    return (day, field, leader)
  }

  private static let holdEnds = "2031-06-07T01:00:00Z"
  private static let whole: [Int64] = [297, 79, 20]

  @Test(arguments: [true, false])
  func `a race with a flagged leader pays nobody until the activity is decided`(escalates: Bool) async throws {
    let (day, field, leader) = try await bombed(escalates: escalates)
    #expect(try await day.course.status(field.race) == "ended")
    #expect(try await day.course.activityStatus(leader) == (escalates ? "under_review" : "verified"))
    let waiting = try await day.session.query(
      "SELECT racing.race(\(field.race))->'waitingFor'->>'reason', waiting_activities FROM racing.race"
    ).one(String.self, [Int64].self)
    #expect(waiting == ("review", [leader]))
    let shown = "SELECT racing.leaderboard(\(field.race))->'entries'->0->>'entryId'" as Statement
    #expect(try await day.session.query(shown).one(String.self) == "\(field.entries[1])")
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [true, false])
  func `a flagged leader is paid when approved`(escalates: Bool) async throws {
    let (day, field, leader) = try await bombed(escalates: escalates)
    #expect(try await day.course.review(leader, "approve") == [field.race])
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    #expect(try await day.course.payouts(field.race).map(\.2) == Self.whole)
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [true, false])
  func `a disqualified leader gives way to the next, and gets the fee back`(escalates: Bool) async throws {
    let (day, field, leader) = try await bombed(escalates: escalates)
    #expect(try await day.course.review(leader, "disqualify") == [field.race])
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.dropFirst()))
    #expect(try await day.course.payouts(field.race).map(\.2) == [223, 59, 15])
    #expect(try await day.course.balance(field.athletes[0]) == 10_000)
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [true, false])
  func `a flagged leader is omitted at the deadline, and a later approval restores the place`(escalates: Bool)
    async throws
  {
    let (day, field, leader) = try await bombed(escalates: escalates)
    try await day.pass(to: "2031-06-07T00:59:59.999999Z")
    try await day.settle()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.dropFirst()))
    let page = try await day.page()

    #expect(try await day.course.review(leader, "approve") == [field.race])
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 2)
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    for (athlete, prize) in zip(field.athletes, Self.whole + [0]) {
      #expect(try await day.course.worth(athlete) == 9_900 + prize)
    }
    #expect(Set(try await day.page()).isSuperset(of: page))
    #expect(try await day.differences() == [])
  }

  @Test func `a race stops waiting when the threshold rises above the flags, and waits when it falls`() async throws {
    let (day, field, _) = try await bombed(escalates: false)
    #expect(try await day.course.status(field.race) == "ended")
    _ = try await day.session.query("SELECT settled.set('racing.flag_threshold', '4')")
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    #expect(try await day.differences() == [])
  }
}
