import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

/// An activity as the provider shows it: that of `Course.outing`, with changes.
struct Shown {
  var maxSpeed = "4.5"
  var distance = "6000"
  var start = "2031-06-03T10:00:00Z"
  var visibility = "everyone"
  var flagged = false

  func summary(_ stravaId: Int64) -> JSON {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    return JSON(
      text: """
        {"stravaId": \(stravaId), "name": "Paddle", "activityType": "Kayaking", "startDate": "\(start)",
         "elapsedTime": 1800, "movingTime": 1800, "distance": \(distance), "maxSpeed": \(maxSpeed),
         "startLocation": \(place), "endLocation": \(place), "polyline": "mock", "visibility": "\(visibility)",
         "flagged": \(flagged)}
        """)
  }
}

extension Course {
  /// What becomes of an activity that the provider shows again.
  func follow(_ athlete: Int64, _ stravaId: Int64, _ shown: Shown = Shown()) async throws -> String {
    let became = try await session.query(
      "SELECT coalesce(racing.follow_fetched(\(athlete), \(shown.summary(stravaId))), 'not here')")
    return try became.one(String.self)
  }

  /// The provider has an activity that it had shown no more.
  func delete(_ athlete: Int64, _ stravaId: Int64) async throws {
    try await session.execute("UPDATE racing.activity SET is_proved = true")
    _ = try await session.query("SELECT racing.note_deleted(\(athlete), \(stravaId))")
  }

  /// The ids in the athlete's own list, in that of everybody, and in those of the gateway.
  func lists(_ athlete: Int64) async throws -> [[Int64]] {
    let lists: [Statement] = [
      "racing.activities(\(athlete))", "racing.activities()", "gateway.racepace_own_activities(\(athlete))",
      "gateway.racepace_activities(\(athlete))",
    ]
    var ids: [[Int64]] = []
    for list in lists {
      ids.append(
        try await session.query(
          "SELECT (x ->> 'id')::bigint FROM jsonb_array_elements(\(fragment: list)) AS x ORDER BY 1"
        ).decode(Int64.self))
    }
    return ids
  }

  /// The activities that reviewers find open, with `deletedAt`.
  func reviewed() async throws -> [String] {
    try await session.query(
      """
      SELECT concat_ws(' ', x #>> '{activity,id}', x ->> 'deletedAt') FROM jsonb_array_elements(racing.flagged()) AS x
      """
    ).decode(String.self)
  }
}

/// Source: Racing.docc/ProviderChanges.md.
@Suite("An activity that changes at the provider", .timeLimit(.minutes(2))) struct ProviderChangeTests {
  @Test func `new content follows until the race is due, and visibility for ever`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([5000, 4000]))
    let (ann, id) = (field.athletes[0], try #require(field.activities[0]))
    func kept() async throws -> String {
      try await course.session.query(
        "SELECT concat_ws(' ', status, distance, visibility) FROM racing.activity WHERE id = \(id)"
      ).one(String.self)
    }
    #expect(try await course.follow(ann, 1, Shown(maxSpeed: "5")) == "same")
    #expect(try await course.follow(field.athletes[1], 1) == "not here")
    #expect(try await kept() == "verified 6000 everyone")
    #expect(try await course.follow(ann, 1, Shown(distance: "5000", visibility: "followers_only")) == "followed")
    #expect(try await kept() == "pending 5000 followers_only")
    try await day.validate()
    // Results are due at one in the morning.
    try await day.pass(to: RaceDay.due)
    #expect(try await course.follow(ann, 1, Shown(distance: "1", visibility: "elsewhere")) == "frozen")
    #expect(try await kept() == "verified 5000 only_me")
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.1) == field.entries, "the private one counts")
    #expect(try await course.follow(ann, 1, Shown(distance: "1")) == "frozen")
    #expect(try await kept() == "verified 5000 everyone")
    #expect(try await day.differences() == [])
  }

  @Test func `content under review or out of bounds is not taken`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([21_500])
    let (ann, id) = (field.athletes[0], try #require(field.activities[0]))
    #expect(try await day.course.activityStatus(id) == "under_review")
    let other = Shown(maxSpeed: "4", distance: "5000", visibility: "only_me")
    #expect(try await day.course.follow(ann, 1, other) == "frozen")
    let kept = try await day.session.query(
      "SELECT concat_ws(' ', max_speed::float8, distance, visibility) FROM racing.activity"
    ).one(String.self)
    #expect(kept == "21.5 6000 only_me")
    try await day.course.review(id, "approve")
    for shown in [Shown(distance: "-1"), Shown(start: "2031-06-03T13:00:00Z")] {
      #expect(try await day.course.follow(ann, 1, shown) == "frozen")
    }
    #expect(try await day.course.activityStatus(id) == "verified")
    #expect(try await day.course.follow(ann, 1, Shown(maxSpeed: "21.5", flagged: true)) == "same")
    #expect(try await day.course.activityStatus(id) == "under_review", "flagged by the provider since")
  }

  @Test func `streams are read before new content is taken where a race needs them`() async throws {
    let day = try await RaceDay()
    let ann = try await day.course.athlete()
    _ = try await day.course.enter(ann, try await day.course.race(type: "fastest_1km"))
    try await day.pass(to: "2031-06-03T12:00:00Z")
    let id = try await day.course.outing(ann, stravaId: 1)
    try await day.validate()
    #expect(try await day.course.follow(ann, 1, Shown(distance: "5000")) == "streams")
    #expect(try await day.course.activityStatus(id) == "verified", "until they are there")
    #expect(try await day.course.follow(ann, 1, Shown()) == "same")
  }

  @Test func `an activity that is deleted before the settlement does not count, and the fee stays`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([5000, 4000]))
    let winner = field.athletes[0]
    try await course.delete(field.athletes[1], 1)
    #expect(try await course.lists(winner).map(\.count) == [1, 2, 1, 2], "not by another athlete's word")
    try await course.delete(winner, 1)
    try await course.delete(winner, 1)
    #expect(try await course.lists(winner) == [[], [2], [], [2]])
    #expect(try await course.events("activity.deleted").count == 1)
    await #expect(throws: PostgresError.self) {
      try await course.session.query("SELECT racing.activity(1)")
    }
    // The app sends it again.
    let again = try await course.outing(
      winner, stravaId: 1, maxSpeed: "5000e-3", more: ["visibility": #""everyone""#])
    #expect(try await course.lists(winner) == [[], [2], [], [2]])
    #expect(again == 1)
    await #expect(throws: PostgresError.self) { try await course.outing(winner, stravaId: 1, maxSpeed: "6") }
    #expect(try await course.lists(winner)[0] == [])
    try await day.finish()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[1]])
    #expect(try await course.balance(winner) == 10_000 - 100)
    #expect(try await day.differences() == [])
  }

  @Test func `a race that waits for an activity settles without it as soon as it is deleted`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([21_500, 5000]))
    let (cheat, id) = (field.athletes[0], try #require(field.activities[0]))
    try await day.finish()
    #expect(try await course.status(field.race) == "ended")
    try await course.delete(cheat, 1)
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[1]])
    // The case stays, and is decided as any other: the entry is out.
    #expect(try await course.reviewed() == ["\(id) 2031-06-04T01:00:00.000Z"])
    try await course.review(id, "disqualify")
    try await day.settle()
    #expect(try await course.balance(cheat) == 10_000)
    #expect(try await course.reviewed() == [])
    #expect(try await day.differences() == [])
  }

  @Test func `an approval of what was deleted makes nothing count`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([21_500, 5000]))
    let (ann, id) = (field.athletes[0], try #require(field.activities[0]))
    try await day.finish()
    // The hold is over: the settlement passes over what it held.
    try await day.pass(to: "2031-06-07T01:00:00Z")
    try await day.settle()
    try await course.delete(ann, 1)
    #expect(try await course.review(id, "approve") == [])
    try await day.settle()
    #expect(try await course.revisions(field.race) == 1)
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[1]])
    #expect(try await day.differences() == [])
  }

  @Test func `money stays where a settlement counted what is deleted, until somebody decides`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([5000, 4000, 3000]))
    let (cheat, id) = (field.athletes[0], try #require(field.activities[0]))
    try await day.finish()
    let paid = try await course.payouts(field.race)
    try await course.delete(cheat, 1)
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.2) == paid.map(\.2))
    #expect(try await course.lists(cheat)[0] == [])
    // A later correction counts it all the same.
    try await course.review(try #require(field.activities[1]), "disqualify")
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[0], field.entries[2]])
    // Rivals flag by the number on the leaderboard, as long as the window is open.
    try await course.flag(id, by: [field.athletes[2]])
    #expect(try await course.reviewed() == ["\(id) 2031-06-04T01:00:00.000Z"])
    try await course.review(id, "disqualify")
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[2]])
    #expect(try await course.balance(cheat) == 10_000)
    #expect(try await day.differences() == [])
  }

  @Test func `an activity that an app vouched for is not deleted by the provider`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([5000])
    _ = try await day.session.query("SELECT racing.note_deleted(\(field.athletes[0]), 1)")
    #expect(try await day.course.lists(field.athletes[0]) == [[1], [1], [1], [1]])
  }

  @Test func `nobody flags what was deleted before it counted`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([5000, 4000])
    try await day.course.delete(field.athletes[0], 1)
    await #expect(throws: PostgresError.self) { try await day.course.flag(1, by: [field.athletes[1]]) }
    try await day.finish()
    await #expect(throws: PostgresError.self) { try await day.course.flag(1, by: [field.athletes[1]]) }
    #expect(try await day.course.reviewed() == [])
  }

  @Test func `an overruled disqualification of a deleted activity brings the entry back without it`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([5000, 4000]))
    let (ann, id) = (field.athletes[0], try #require(field.activities[0]))
    try await course.review(id, "disqualify")
    try await day.settle()
    try await course.delete(ann, 1)
    try await course.overrule(id, "approve")
    #expect(try await course.balance(ann) == 10_000 - 100, "the fee is taken again")
    try await day.finish()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[1]])
    #expect(try await day.differences() == [])
  }

  @Test func `an activity that the provider shows again stands as before`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([5000, 4000]))
    let ann = field.athletes[0]
    try await course.delete(ann, 1)
    #expect(try await course.follow(ann, 1, Shown(maxSpeed: "5")) == "same")
    #expect(try await course.lists(ann).map(\.count) == [1, 2, 1, 2])
    try await day.finish()
    #expect(try await course.payouts(field.race).map(\.1) == field.entries)
    #expect(try await day.differences() == [])
  }

  @Test func `an activity that comes back at the due instant counts only in races that are due later`() async throws {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([5000, 4000]))
    let ann = field.athletes[0]
    let month = try await course.race(
      duration: "monthly", from: "2031-06-01T00:00:00Z", to: "2031-07-01T00:00:00Z")
    _ = try await course.enter(ann, month)
    try await course.delete(ann, 1)
    try await day.pass(to: RaceDay.due)
    #expect(try await course.follow(ann, 1, Shown(maxSpeed: "5")) == "same")
    #expect(try await course.lists(ann).map(\.count) == [1, 2, 1, 2])
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[1]])
    let counting = try await day.session.query(
      "SELECT race_id FROM racing.qualifying_activity WHERE activity_id = 1 AND race_status <> 'settled'")
    #expect(try counting.decode(Int64.self) == [month])
    #expect(try await day.differences() == [])
  }

  @Test func `a race does not wait for an activity that was deleted during the hold and comes back`()
    async throws
  {
    let day = try await RaceDay()
    let (course, field) = (day.course, try await day.field([21_500, 5000]))
    let ann = field.athletes[0]
    try await day.finish()
    #expect(try await course.status(field.race) == "ended")
    try await course.delete(ann, 1)
    #expect(try await course.follow(ann, 1, Shown(maxSpeed: "21.5")) == "same")
    try await day.settle()
    #expect(try await course.payouts(field.race).map(\.1) == [field.entries[1]])
    // An approval brings nothing back either.
    try await course.review(1, "approve")
    try await day.settle()
    #expect(try await course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }
}
