import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Claims.md, "Late proof".
@Suite("A claim that is proved late", .timeLimit(.minutes(3))) struct LateProofTests {
  private static let holdEnds = "2031-06-04T03:00:00Z"

  /// Three athletes with scores and two with none, who claim faster outings.
  private func claimed() async throws -> (day: RaceDay, field: RaceDay.Field) {
    let day = try await RaceDay()
    let field = try await day.field([5000, 4000, 3000, nil, nil])
    _ = try await day.claim(field.athletes[3], stravaId: 900, maxSpeed: "7")
    _ = try await day.claim(field.athletes[4], stravaId: 901, maxSpeed: "8")
    return (day, field)
  }

  /// The same, settled two hours after the results were due, at the end of the claims' hold.
  private func settled() async throws -> (day: RaceDay, field: RaceDay.Field) {
    let (day, field) = try await claimed()
    try await day.finish()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
    return (day, field)
  }

  private func paid(_ day: RaceDay, _ field: RaceDay.Field) async throws -> [Int] {
    try await day.course.payouts(field.race).compactMap { field.entries.firstIndex(of: $0.1) }
  }

  private func reviewed(_ day: RaceDay) async throws -> String {
    try await day.session.query(
      """
      SELECT concat_ws(' ', a.status, r.reasons::text) FROM racing.activity AS a
        LEFT JOIN racing.review AS r ON r.activity_id = a.id AND r.state <> 'decided'
      WHERE a.strava_id = 900
      """
    ).one(String.self)
  }

  /// Prizes rest, reviews hold for 72 hours from the due instant: the earlier of that and an hour before prizes leave.
  static let ends: [(rest: String, instant: String, revisions: Int64)] = [
    ("72 hours", "2031-06-07T00:59:59.999999Z", 2), ("72 hours", "2031-06-07T01:00:00Z", 1),
    ("24 hours", "2031-06-05T01:59:59.999999Z", 2), ("24 hours", "2031-06-05T02:00:00Z", 1),
    ("0 hours", "2031-06-04T03:00:01Z", 1),
  ]

  @Test(arguments: ends)
  func `a settled race is corrected by it until prizes can leave, or the hold of reviews is over`(
    rest: String, instant: String, revisions: Int64
  ) async throws {
    let (day, field) = try await settled()
    _ = try await day.session.query("SELECT settled.set('racing.prize_rest', \(rest))")
    try await day.pass(to: instant)
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.validate()
    try await day.settle()
    #expect(try await reviewed(day) == "verified")
    #expect(try await paid(day, field) == (revisions == 2 ? [3, 0, 1] : [0, 1, 2]))
    #expect(try await day.course.revisions(field.race) == revisions)
    // A later switch of the setting opens nothing.
    _ = try await day.session.query("SELECT settled.set('racing.prize_rest', '30 days')")
    let id = try await day.session.query("SELECT id FROM racing.activity WHERE strava_id = 900").one(Int64.self)
    try await day.course.flag(id, by: try await day.course.spectators(3))
    try await day.course.review(id, "approve")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == revisions)
    #expect(try await day.differences() == [])
  }

  /// The connection when the claim was made, and when it is proved.
  @Test(arguments: [(41, 41, 2), (41, 42, 1), (nil, 42, 1)] as [(Int64?, Int64, Int64)])
  func `a claim counts from its instant only for the account under which it was made`(
    claimed: Int64?, proved: Int64, revisions: Int64
  ) async throws {
    let day = try await RaceDay()
    let field = try await day.field([5000, 4000, nil])
    let eve = field.athletes[2]
    func sign(in account: Int64?) async throws {
      try await day.session.execute(
        "UPDATE strava.connection SET provider_athlete_id = \(account) WHERE athlete_id = \(eve)")
    }
    try await sign(in: claimed)
    let claim = ClaimDay.outing(900, speed: "7")
    _ = try await day.session.query("SELECT settled.set('racing.proof', 'on')")
    _ = try await day.session.query("SELECT racing.claim_activity(\(eve), \(claim))")
    try await day.finish()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    try await sign(in: proved)
    try await day.pass(to: "2031-06-04T04:00:00Z")
    try await day.answer(eve, maxSpeed: "7")
    try await day.validate()
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == revisions)
    #expect(try await paid(day, field).first == (revisions == 2 ? 2 : 0))
    let imported = try await day.session.query(
      "SELECT settled.iso(imported_at) FROM racing.activity WHERE strava_id = 900"
    ).one(String.self)
    #expect(imported == (revisions == 2 ? "2031-06-03T12:00:00.000Z" : "2031-06-04T04:00:00.000Z"))
    #expect(try await day.differences() == [])
  }

  @Test func `one race pays its first prize once, however its winners take turns to sign in`() async throws {
    let (day, field) = try await settled()
    func withdraw(_ athlete: Int64) async throws -> Int64 {
      let balance = try await day.course.balance(athlete)
      _ = try await day.session.query("SELECT racing.withdraw(\(athlete), \(balance), \("w\(athlete)"))")
      return balance
    }
    try await day.pass(to: "2031-06-07T04:00:00Z")
    #expect(try await withdraw(field.athletes[0]) > 10_000)
    for (index, id) in [(3, 900), (4, 901)] as [(Int, Int64)] {
      try await day.answer(field.athletes[index], stravaId: id, maxSpeed: index == 3 ? "7" : "8")
      try await day.validate()
      try await day.settle()
      #expect(try await withdraw(field.athletes[index]) == 10_000 - 100)
    }
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `an entry that comes back does not count what was proved too late`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    _ = try await day.claim(field.athletes[3])
    try await day.finish()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    try await day.pass(to: "2031-06-08T00:00:00Z")
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.validate()
    let spoilt = try #require(field.activities[3])
    try await day.course.review(spoilt, "disqualify")
    try await day.settle()
    try await day.course.overrule(spoilt, "approve")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 3)
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await day.differences() == [])
  }

  /// What was claimed in place of what the provider shows.
  static let changes = [
    #"content = content || '{"activityType": "Ride"}'"#, #"content = content || '{"distance": 5999}'"#,
    #"content = content || '{"movingTime": 1799}'"#, #"content = content || '{"maxSpeed": 6.9}'"#,
    "content = content - 'distance'", "started_at = '2031-06-03T10:00:01Z'",
  ]

  @Test(arguments: changes)
  func `an activity that differs from its claim counts late once a reviewer has approved it`(change: String)
    async throws
  {
    let (day, field) = try await settled()
    try await day.session.script("UPDATE racing.claim SET \(change)")
    try await day.pass(to: "2031-06-04T09:00:00Z")
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.validate()
    try await day.settle()
    #expect(try await reviewed(day) == "under_review {late_change}")
    #expect(try await day.course.revisions(field.race) == 1)
    let reasons = try await day.session.query(
      "SELECT (f.item -> 'reasons') || (f.item -> 'exactReasons') FROM jsonb_array_elements(gateway.racepace_flagged()) AS f (item)"
    ).one(JSON.self)
    #expect(reasons.text == #"["other", "late_change"]"#)
    let id = try await day.session.query("SELECT id FROM racing.activity WHERE strava_id = 900").one(Int64.self)
    try await day.course.review(id, "approve")
    try await day.settle()
    #expect(try await paid(day, field) == [3, 0, 1])
    #expect(try await day.differences() == [])
  }

  @Test func `numbers that are written in another way are the same`() async throws {
    let (day, field) = try await settled()
    try await day.session.script(
      #"UPDATE racing.claim SET content = content || '{"distance": 6000.00, "maxSpeed": 7.0, "movingTime": 1.8e3}'"#)
    try await day.answer(field.athletes[3], maxSpeed: "7")
    try await day.validate()
    #expect(try await reviewed(day) == "verified")
  }

  @Test func `an activity that differs from its claim before the due instant is the provider's word`() async throws {
    let (day, field) = try await claimed()
    try await day.pass(to: "2031-06-04T00:59:59Z")
    try await day.answer(field.athletes[3], maxSpeed: "9")
    try await day.validate()
    #expect(try await reviewed(day) == "verified")
  }

  @Test func `a race past its due instant waits for the review of what differs`() async throws {
    let (day, field) = try await claimed()
    try await day.finish()
    try await day.answer(field.athletes[3], maxSpeed: "6.5")
    try await day.answer(field.athletes[4], stravaId: 901, outcome: "missing")
    try await day.validate()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await day.course.status(field.race) == "ended")
    let id = try await day.session.query("SELECT id FROM racing.activity WHERE strava_id = 900").one(Int64.self)
    try await day.course.review(id, "approve")
    try await day.settle()
    #expect(try await paid(day, field) == [3, 0, 1])
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }
}
