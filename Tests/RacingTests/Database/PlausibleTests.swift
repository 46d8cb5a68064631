import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("An implausible activity", .timeLimit(.minutes(2))) struct PlausibleTests {
  /// One athlete in a race, at noon of its day.
  private struct Rower {
    let day: RaceDay
    let athlete: Int64
    let race: Int64

    init(_ type: String = "top_speed", enters: Bool = true) async throws {
      day = try await RaceDay()
      athlete = try await day.course.athlete()
      race = try await day.course.race(type: type)
      if enters { _ = try await day.course.enter(athlete, race) }
      try await day.pass(to: "2031-06-03T12:00:00Z")
    }

    /// The status after validation.
    func status(of activity: Int64) async throws -> String {
      try await day.validate()
      return try await day.course.activityStatus(activity)
    }

    /// Reasons and bounds of the open review, as reviewers see them.
    func doubt(_ activity: Int64) async throws -> String {
      try await day.session.query(
        "SELECT concat_ws(' ', r -> 'reasons', r -> 'bounds') FROM racing.review_of(\(activity)) AS r"
      ).one(String.self)
    }

    func reviews() async throws -> Int64 {
      try await day.session.query("SELECT count(*) FROM racing.review").one(Int64.self)
    }

    /// The activities that the leaderboard counts.
    func counted() async throws -> [Int64] {
      try await day.session.query(
        "SELECT (e ->> 'activityId')::bigint FROM jsonb_array_elements(racing.leaderboard(\(race)) -> 'entries') AS e"
      ).decode(Int64.self)
    }
  }

  struct Bound: Sendable {
    let type: String
    /// Speed, distance and moving time, at the bound and just beyond it.
    let at: [String]
    let beyond: [String]
    let bounds: String
  }

  static let bounds = [
    Bound(
      type: "top_speed", at: ["12", "6000", "1800"], beyond: ["12.0005", "6000", "1800"],
      bounds: #"[{"bound": 12000, "score": "top_speed", "value": 12001}]"#),
    Bound(
      type: "furthest_distance", at: ["4", "300000", "7200"], beyond: ["4", "300000.005", "7200"],
      bounds: #"[{"bound": 30000000, "score": "furthest_distance", "value": 30000001}]"#),
    Bound(
      type: "fastest_1km", at: ["4", "1000", "150"], beyond: ["4", "1000", "149.9994"],
      bounds: #"[{"bound": 150000, "score": "fastest_1km", "value": 149999}]"#),
    Bound(
      type: "fastest_5km", at: ["4", "5000", "900"], beyond: ["4", "5000", "899.9994"],
      bounds: #"[{"bound": 900000, "score": "fastest_5km", "value": 899999}]"#),
  ]

  @Test(arguments: bounds) func `a score at its bound is verified, and one beyond it is reviewed`(bound: Bound)
    async throws
  {
    let rower = try await Rower(bound.type)
    func outing(_ stravaId: Int64, _ values: [String]) async throws -> Int64 {
      try await rower.day.course.outing(
        rower.athlete, stravaId: stravaId, maxSpeed: values[0], distance: values[1], movingTime: values[2])
    }
    let plausible = try await outing(1, bound.at)
    let implausible = try await outing(2, bound.beyond)
    #expect(try await rower.status(of: plausible) == "verified")
    #expect(try await rower.status(of: implausible) == "under_review")
    #expect(try await rower.doubt(implausible) == #"["implausible"] \#(bound.bounds)"#)
    #expect(try await rower.counted() == [plausible])
    let event = try await rower.day.course.events("activity.under_review")
    #expect(event.count == 1 && event[0].contains(#""reasons": ["implausible"]"#), "\(event)")
    // The bounds are settings.
    try await rower.day.session.script(
      """
      SELECT settled.set('racing.max_speed_mm_per_s', '12001'), settled.set('racing.max_distance_m', '300001'),
        settled.set('racing.min_1km', '149s'), settled.set('racing.min_5km', '0s')
      """)
    #expect(try await rower.status(of: outing(3, bound.beyond)) == "verified")
  }

  @Test func `an activity of a disqualified entry is reviewed, because the entry may come back`() async throws {
    let rower = try await Rower()
    let first = try await rower.day.course.outing(rower.athlete, stravaId: 1)
    #expect(try await rower.status(of: first) == "verified")
    try await rower.day.course.review(first, "disqualify")
    let bicycle = try await rower.day.course.outing(rower.athlete, stravaId: 2, maxSpeed: "21.5")
    #expect(try await rower.status(of: bicycle) == "under_review")
    _ = try await rower.day.course.overrule(first, "approve")
    #expect(try await rower.counted() == [first])
  }

  @Test func `an approval ends only the doubts that its reviewer was shown`() async throws {
    let rower = try await Rower(enters: false)
    let bicycle = try await rower.day.course.outing(rower.athlete, stravaId: 1, maxSpeed: "21.5")
    #expect(try await rower.status(of: bicycle) == "verified", "no race")
    try await rower.day.course.flag(bicycle, by: try await rower.day.course.spectators(1))
    try await rower.day.course.review(bicycle, "approve")
    _ = try await rower.day.course.enter(rower.athlete, rower.race)
    #expect(try await rower.day.course.activityStatus(bicycle) == "under_review")
    try await rower.day.course.review(bicycle, "approve")
    let next = try await rower.day.course.race(duration: "weekly")
    _ = try await rower.day.course.enter(rower.athlete, next)
    #expect(try await rower.day.course.activityStatus(bicycle) == "verified")
  }

  @Test func `a bound matters for the types of races that the athlete has entered, and from the entry on`()
    async throws
  {
    let rower = try await Rower("furthest_distance")
    let (day, athlete) = (rower.day, rower.athlete)
    let bicycle = try await day.course.outing(athlete, stravaId: 1, maxSpeed: "21.5")
    #expect(try await rower.status(of: bicycle) == "verified", "no race of this type")
    let later = try await day.course.race(from: "2031-06-03T10:00:01Z")
    _ = try await day.course.enter(athlete, later)
    #expect(try await day.course.activityStatus(bicycle) == "verified", "started before that race")
    let race = try await day.course.race()
    _ = try await day.course.enter(athlete, race)
    #expect(try await day.course.activityStatus(bicycle) == "under_review")
    #expect(try await rower.doubt(bicycle).contains(#""value": 21500"#))
    // Another bound that the open review did not have.
    let sprint = try await day.course.outing(athlete, stravaId: 2, maxSpeed: "13", movingTime: "600")
    #expect(try await rower.status(of: sprint) == "under_review")
    let before = try await rower.doubt(sprint)
    #expect(before.contains(#""value": 13000"#) && !before.contains("fastest_1km"))
    _ = try await day.course.enter(athlete, try await day.course.race(type: "fastest_1km"))
    #expect(try await rower.doubt(sprint).contains(#""value": 100000"#))
    #expect(try await rower.reviews() == 2)
    let events = try await day.course.events("activity.under_review")
    #expect(events.count == 2)
  }

  @Test func `an entry waits for the validation of an activity in its window, and then has it reviewed`()
    async throws
  {
    let rower = try await Rower(enters: false)
    let day = rower.day
    let bicycle = try await day.course.outing(rower.athlete, stravaId: 1, maxSpeed: "21.5")
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    // The validation that sees no entry is not committed yet.
    try await holder.script(
      "BEGIN; UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = 21500")
    let other = try await day.course.database.connect(.app)
    let entering = Task {
      try await other.query("SELECT racing.enter_race(\(rower.athlete), \(rower.race))").one(Int64.self)
    }
    try await day.session.untilBlocked(by: pid)
    try await holder.script("COMMIT")
    _ = try await entering.value
    #expect(try await day.course.activityStatus(bicycle) == "under_review")
    #expect(try await rower.counted() == [])
  }

  @Test func `an approved activity is not reviewed again until what was measured changes`() async throws {
    let rower = try await Rower()
    let (day, athlete) = (rower.day, rower.athlete)
    func outing(_ more: [String: String] = [:]) async throws -> String {
      let id = try await day.course.outing(athlete, stravaId: 1, maxSpeed: "13", more: more)
      return try await rower.status(of: id)
    }
    #expect(try await outing() == "under_review")
    try await day.course.review(1, "approve")
    #expect(try await rower.counted() == [1])
    let unmeasured = [
      ["name": #""Renamed""#], ["polyline": #""other""#],
      ["startLocation": #"{"latitude": 54.36, "longitude": -2.92}"#],
      ["maxSpeed": "13.000"], [:],
    ]
    for more in unmeasured { #expect(try await outing(more) == "verified", "\(more)") }
    _ = try await day.course.enter(athlete, try await day.course.race(from: "2031-06-03T01:00:00Z"))
    #expect(try await day.course.activityStatus(1) == "verified", "another entry")
    #expect(try await rower.reviews() == 1)
    let measured = [
      ["maxSpeed": "13.1"], ["elapsedTime": "1801"], ["startDate": #""2031-06-03T10:00:01Z""#],
      ["streams": #"{"time": [0, 1800], "distance": [0, 6000]}"#],
    ]
    for (index, more) in measured.enumerated() {
      #expect(try await outing(more) == "under_review", "\(more)")
      try await day.course.review(1, "approve")
      #expect(try await rower.reviews() == Int64(index) + 2)
    }
    #expect(try await day.differences() == [])
  }

  @Test func `an approval before the scores are known does not stand for them`() async throws {
    let rower = try await Rower()
    let activity = try await rower.day.course.outing(rower.athlete, stravaId: 1, maxSpeed: "13")
    try await rower.day.course.flag(activity, by: try await rower.day.course.spectators(3))
    try await rower.day.escalate()
    try await rower.day.course.review(activity, "approve")
    #expect(try await rower.status(of: activity) == "under_review")
    #expect(try await rower.reviews() == 2)
    try await rower.day.course.review(activity, "approve")
    #expect(try await rower.day.course.activityStatus(activity) == "verified")
  }

  @Test func `an activity that the provider has flagged is reviewed, in any race`() async throws {
    let rower = try await Rower(enters: false)
    let day = rower.day
    func outing(_ stravaId: Int64, _ flagged: String) async throws -> Int64 {
      try await day.course.outing(rower.athlete, stravaId: stravaId, more: ["flagged": flagged])
    }
    let (flagged, free) = (try await outing(1, "true"), try await outing(2, "false"))
    #expect(try await rower.status(of: flagged) == "under_review")
    #expect(try await rower.doubt(flagged) == #"["provider_flag"] []"#)
    #expect(try await day.course.activityStatus(free) == "verified")
    // The same content, flagged since.
    _ = try await outing(2, "true")
    #expect(try await day.course.activityStatus(free) == "under_review")
    try await day.course.review(free, "approve")
    for word in ["true", "false", "true", "null"] { _ = try await outing(2, word) }
    #expect(try await rower.status(of: free) == "verified")
    #expect(try await rower.reviews() == 2)
  }

  @Test func `a flag and a bound share one review`() async throws {
    let rower = try await Rower(enters: false)
    let day = rower.day
    let activity = try await day.course.outing(rower.athlete, stravaId: 1, maxSpeed: "13")
    #expect(try await rower.status(of: activity) == "verified")
    try await day.course.flag(activity, by: try await day.course.spectators(3))
    try await day.escalate()
    #expect(try await rower.doubt(activity) == "[] []")
    _ = try await day.course.enter(rower.athlete, rower.race)
    #expect(try await rower.doubt(activity).hasPrefix(#"["implausible"] [{"bound": 12000"#))
    #expect(try await rower.reviews() == 1)
    #expect(try await day.course.events("activity.under_review").count == 1)
  }

  /// The statement by which the daemon of 24 November validates.
  @Test func `a former release's validation does not verify what is implausible`() async throws {
    let rower = try await Rower()
    let bicycle = try await rower.day.course.outing(rower.athlete, stravaId: 1, maxSpeed: "21.5")
    let former = try await rower.day.course.database.connect(.daemon)
    try await former.execute(
      """
      UPDATE racing.activity AS a SET status = CASE WHEN v.reasons = '' THEN 'verified' ELSE 'rejected' END,
        reasons = string_to_array(v.reasons, ','), scored = true, top_speed_mm_per_s = v.top_speed
      FROM unnest(\([bicycle]), \([""]), \([Int64(21_500)])) AS v(id, reasons, top_speed) WHERE a.id = v.id
      """)
    #expect(try await rower.day.course.activityStatus(bicycle) == "under_review")
    #expect(try await rower.doubt(bicycle).contains(#""value": 21500"#))
  }

  @Test func `a race waits for the review of an implausible leader, and pays as it is decided`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([21_500, 5000, 4000, 3000])
    let leader = try #require(field.activities[0])
    #expect(try await day.course.activityStatus(leader) == "under_review")
    try await day.finish()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.course.review(leader, "disqualify")
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.dropFirst()))
    #expect(try await day.course.balance(field.athletes[0]) == 10_000)
    #expect(try await day.differences() == [])
  }
}
