import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Holds.md, "Claims", and Racing.docc/Corrections.md.
@Suite("A claim that the provider answers", .timeLimit(.minutes(3))) struct ProvedClaimTests {
  private static let holdEnds = "2031-06-04T03:00:00Z"

  /// Four athletes with these scores, and a claim of the fourth; the results are due.
  private func claimed(
    _ scores: [Int64?] = [6000, 5000, 4000, 3000]
  ) async throws -> (day: RaceDay, field: RaceDay.Field, claim: Int64) {
    let day = try await RaceDay()
    let field = try await day.field(scores)
    let claim = try await day.claim(field.athletes[scores.count - 1])
    try await day.finish()
    return (day, field, claim)
  }

  private func paid(_ day: RaceDay, _ field: RaceDay.Field) async throws -> [Int] {
    try await day.course.payouts(field.race).compactMap { field.entries.firstIndex(of: $0.1) }
  }

  @Test func `a claim that is proved while it holds the race counts when the race is settled`() async throws {
    let (day, field, claim) = try await claimed()
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.settle()
    // It waits for the validation now, as for any pending activity.
    let waiting = try await day.session.query(
      "SELECT racing.race(\(field.race))->'waitingFor'->>'reason', waiting_activities FROM racing.race"
    ).one(String.self, [Int64].self)
    #expect(waiting == ("review", [claim]))
    try await day.validate()
    try await day.settle()
    #expect(try await paid(day, field) == [3, 0, 1])
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a claim that the provider refuses ends the wait at once`() async throws {
    let (day, field, _) = try await claimed()
    try await day.answer(field.athletes[3], outcome: "missing")
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a claim that is hidden for want of a scope stays held for its two hours`() async throws {
    let (day, field, _) = try await claimed()
    try await day.answer(field.athletes[3], outcome: "hidden")
    try await day.settle()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
  }

  @Test func `a claim that is proved after the settlement corrects the race as its first import would have`()
    async throws
  {
    let (day, field, claim) = try await claimed()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    let page = try await day.page()
    #expect(try await paid(day, field) == [0, 1, 2])
    try await day.pass(to: "2031-06-04T09:00:00Z")
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 1, "it is not validated yet")
    try await day.validate()
    try await day.settle()
    #expect(try await paid(day, field) == [3, 0, 1])
    #expect(try await day.course.payouts(field.race).map(\.2) == [297, 79, 20])
    #expect(try await day.course.revisions(field.race) == 2)
    #expect(Set(try await day.page()).isSuperset(of: page))
    let counts = try await day.session.query(
      "SELECT counted_activities @> ARRAY[\(claim)], held_activities FROM racing.settlement WHERE revision = 2"
    ).one(Bool.self, [Int64].self)
    #expect(counts == (true, []))
    #expect(try await day.differences() == [])
  }

  /// What the provider shows in place of what was claimed.
  @Test(arguments: [
    ("2031-06-04T00:00:00Z", "Kayaking"), ("2031-06-02T23:59:59Z", "Kayaking"), ("2031-06-03T10:00:00Z", "Running"),
  ])
  func `a claim whose activity turns out to be of another time or type changes nothing after the settlement`(
    start: String, type: String
  ) async throws {
    let (day, field, _) = try await claimed()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    try await day.answer(field.athletes[3], at: start, maxSpeed: "7", type: type)
    try await day.validate()
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a claimed start outside of the window holds nothing, and never counts once the race is settled`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    _ = try await day.claim(field.athletes[3], at: "2031-06-04T00:00:00Z")
    try await day.finish()
    #expect(try await paid(day, field) == [0, 1, 2])
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.validate()
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `the proof of a claim of a void race is an event, and moves no money`() async throws {
    let (day, field, claim) = try await claimed([nil, nil])
    try await day.pass(to: "2031-06-07T01:00:00Z")
    try await day.settle()
    let worths = try await day.worths(field.athletes)
    #expect(worths == [10_000, 10_000])
    try await day.answer(field.athletes[1], maxSpeed: "7")
    try await day.validate()
    try await day.settle()
    #expect(
      try await day.course.events("race.approval_after_void")
        == [#"{"raceId": \#(field.race), "activityId": \#(claim)}"#])
    #expect(try await day.worths(field.athletes) == worths)
    #expect(try await day.differences() == [])
  }

  @Test func `an entry that comes back holds its open claims, and their proof counts`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let spoilt = try #require(field.activities[3])
    _ = try await day.claim(field.athletes[3])
    try await day.course.flag(spoilt, by: try await day.course.spectators(1))
    try await day.course.review(spoilt, "disqualify")
    try await day.finish()
    #expect(try await paid(day, field) == [0, 1, 2])
    try await day.course.overrule(spoilt, "approve")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 2)
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.validate()
    try await day.settle()
    #expect(try await paid(day, field) == [3, 0, 1])
    #expect(try await day.course.revisions(field.race) == 3)
    #expect(try await day.differences() == [])
  }
}

extension RaceDay {
  /// The provider answers the read of one activity, by default one in British waters.
  func answer(
    _ athlete: Int64, stravaId: Int64 = 900, outcome: String = "found", at start: String = "2031-06-03T10:00:00Z",
    maxSpeed: String = "4.5", distance: String = "6000", type: String = "Kayaking"
  ) async throws {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let summary = JSON(
      text: """
        {"stravaId": \(stravaId), "name": "Paddle", "activityType": "\(type)", "startDate": "\(start)",
         "elapsedTime": 1800, "movingTime": 1800, "distance": \(distance), "maxSpeed": \(maxSpeed),
         "startLocation": \(place), "endLocation": \(place), "polyline": "mock", "visibility": "everyone",
         "flagged": false}
        """)
    _ = try await session.query(
      """
      SELECT racing.take_activity(\(athlete), \(stravaId), \(outcome), \(outcome == "found" ? summary : nil), 1,
        settled.clock() + interval '7 days')
      """)
  }
}
