import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A race with pending activities")
struct HoldTests {
  /// Three validated scores and one outing of the athlete at `index` that nobody has validated.
  private func pending(
    _ scores: [Int64?], athlete index: Int, maxSpeed: String, type: String = "Kayaking"
  ) async throws -> (day: RaceDay, field: RaceDay.Field, activity: Int64) {
    let day = try await RaceDay()
    let field = try await day.field(scores)
    let activity = try await day.course.outing(field.athletes[index], stravaId: 500, maxSpeed: maxSpeed, type: type)
    return (day, field, activity)
  }

  private func waiting(_ day: RaceDay, _ race: Int64) async throws -> (status: String, at: Timestamp, [Int64]) {
    try await day.session.query("SELECT status, next_check_at, waiting_activities FROM racing.race WHERE id = \(race)")
      .one(String.self, Timestamp.self, [Int64].self)
  }

  private static let holdEnds = "2031-06-07T01:00:00Z"

  @Test func `a race waits for pending activities that may change a payout, and shows until when`() async throws {
    let (day, field, activity) = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: "4.5")
    try await day.finish()
    let found = try await waiting(day, field.race)
    #expect(found.status == "ended")
    #expect(found.1.description.prefix(19) == Self.holdEnds.prefix(19))
    #expect(found.2 == [activity])
    #expect(try await day.session.query("SELECT count(*) FROM racing.settlement").one(Int64.self) == 0)
    let shown = try await day.session.query("SELECT racing.race(\(field.race))->'waitingFor'").one(JSON.self)
    let expected = JSON(
      text: #"{"reason": "review", "until": "2031-06-07T01:00:00.000Z", "activities": [\#(activity)]}"#)
    #expect(try await day.session.query("SELECT \(shown) = \(expected)").one(Bool.self), "\(shown.text)")
    #expect(try await day.differences() == [])
  }

  @Test(arguments: ["3.1", "2.0"])
  func `a race is settled at once when its pending activities change no payout`(maxSpeed: String) async throws {
    let (day, field, activity) = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: maxSpeed)
    try await day.finish()
    #expect(try await day.course.status(field.race) == "settled")
    let held = try await day.session.query("SELECT held_activities FROM racing.settlement").one([Int64].self)
    #expect(held == [activity])
    #expect(try await day.differences() == [])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a waiting race is checked again as soon as an activity is verified`() async throws {
    let (day, field, activity) = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: "7.0")
    try await day.finish()
    try await day.validate()
    let found = try await waiting(day, field.race)
    #expect(found.2 == [])
    try await day.settle()
    #expect(
      try await day.course.payouts(field.race).map { [$0.1, $0.2] } == [
        [field.entries[3], 297], [field.entries[0], 79], [field.entries[1], 20],
      ])
    let named = "SELECT activity_id FROM racing.entry WHERE id = \(field.entries[3])" as Statement
    #expect(try await day.session.query(named).one(Int64.self) == activity)
    #expect(try await day.differences() == [])
  }

  @Test func `a waiting race is checked again as soon as an activity is rejected`() async throws {
    let (day, field, _) = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: "7.0", type: "Running")
    try await day.finish()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.validate()
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    #expect(try await day.differences() == [])
  }

  /// What may still be judged about an activity that validation rejects.
  enum Doubt: CaseIterable { case openReview, flagsAtThreshold }

  /// Of four athletes the fourth may be the fastest, by an activity that validation rejects.
  private func rejected(_ doubt: Doubt?) async throws -> (day: RaceDay, field: RaceDay.Field, activity: Int64) {
    let made = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: "7.0", type: "Running")
    let users = try await made.day.course.spectators(3)
    try await made.day.course.flag(made.activity, by: doubt == .flagsAtThreshold ? users : [users[0]])
    try await made.day.validate()
    #expect(try await made.day.course.activityStatus(made.activity) == "rejected")
    if doubt == .openReview { try await made.day.course.review(made.activity, "request_info") }
    try await made.day.finish()
    return made
  }

  @Test(arguments: Doubt.allCases)
  func `a race waits for a rejected activity that a review may still approve`(doubt: Doubt) async throws {
    let (day, field, activity) = try await rejected(doubt)
    #expect(try await waiting(day, field.race).2 == [activity])
    #expect(try await day.course.review(activity, "approve") == [field.race])
    try await day.settle()
    #expect(
      try await day.course.payouts(field.race).map(\.1) == [field.entries[3], field.entries[0], field.entries[1]])
    #expect(try await day.differences() == [])
  }

  @Test(arguments: Doubt.allCases)
  func `a rejected activity that is approved after the hold corrects its race`(doubt: Doubt) async throws {
    let (day, field, activity) = try await rejected(doubt)
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    #expect(try await day.course.review(activity, "approve") == [field.race])
    try await day.settle()
    let rank = "SELECT rank::bigint FROM racing.entry WHERE id = \(field.entries[3])" as Statement
    #expect(try await day.session.query(rank).one(Int64.self) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `the approval of a rejected activity names the settled races that it came too late for`() async throws {
    let (day, field, activity) = try await rejected(nil)
    #expect(try await day.course.status(field.race) == "settled", "one flag holds nothing")
    let decided = try await day.session.query("SELECT racing.review_activity(\(activity), 'approve', 'mod', 'a kayak')")
      .one(JSON.self)
    let expected = JSON(text: #"{"affectedRaces": [], "missedRaces": [\#(field.race)]}"#)
    #expect(try await day.session.query("SELECT \(decided) @> \(expected)").one(Bool.self), "\(decided.text)")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a race waits for its second pending activity when the first was decided`() async throws {
    let (day, field, first) = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: "7.0")
    let second = try await day.course.outing(field.athletes[2], stravaId: 501, maxSpeed: "6.5")
    try await day.finish()
    #expect(try await waiting(day, field.race).2 == [first, second])
    // Only the first is free to be validated.
    let other = try await day.course.database.connect()
    try await other.script("BEGIN; SELECT FROM racing.activity WHERE id = \(second) FOR NO KEY UPDATE")
    try await day.validate()
    try await day.settle()
    #expect(try await waiting(day, field.race).2 == [second])
    try await other.script("COMMIT")
    try await day.validate()
    try await day.settle()
    #expect(
      try await day.course.payouts(field.race).map(\.1) == [field.entries[3], field.entries[2], field.entries[0]])
    #expect(try await day.differences() == [])
  }

  @Test func `a race is settled without pending activities at the hold's end, not a microsecond before`() async throws {
    let (day, field, activity) = try await pending([6000, 5000, 4000, 3000], athlete: 3, maxSpeed: "7.0")
    try await day.finish()
    try await day.pass(to: "2031-06-07T00:59:59.999999Z")
    try await day.settle()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    let held = try await day.session.query("SELECT held_activities FROM racing.settlement").one([Int64].self)
    #expect(held == [activity])
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [100, 400])
  func `a race reads unscored streams, and waits only when they matter`(seconds: Int) async throws {
    let day = try await RaceDay()
    let race = try await day.course.race(type: "fastest_1km")
    var athletes: [Int64] = []
    for _ in 0..<4 {
      athletes.append(try await day.course.athlete())
      _ = try await day.course.enter(athletes[athletes.count - 1], race)
    }
    try await day.pass(to: "2031-06-03T12:00:00Z")
    for (index, athlete) in athletes.prefix(3).enumerated() {
      // 6 km in 1800 s: 300 s for one kilometre.
      _ = try await day.course.outing(athlete, stravaId: Int64(index + 1))
    }
    try await day.validate()
    // By its average the last one is slower than all (600 s); its best kilometre took `seconds`.
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let activity = JSON(
      text: """
        {"stravaId": 9, "name": "Paddle", "activityType": "Kayaking", "startDate": "2031-06-03T10:00:00Z",
         "elapsedTime": 1200, "movingTime": 1200, "distance": 2000, "startLocation": \(place), "endLocation": \(place),
         "polyline": "mock", "streams": {"time": [0, \(seconds), 1200], "distance": [0, 1000, 2000]}}
        """)
    _ = try await day.session.query("SELECT racing.import_activity(\(athletes[3]), \(activity))").one(Int64.self)
    try await day.finish()
    #expect(try await day.course.status(race) == (seconds < 300 ? "ended" : "settled"))
    #expect(try await day.differences() == [])
  }
}
