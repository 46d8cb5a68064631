import Postgres
import TestSupport
import Testing

@Suite("New content of an activity") struct ImportFrozenTests {
  static let inside = "2031-06-03T10:00:00Z"
  static let before = "2031-06-02T23:59:59Z"
  static let other = #"{"name": "other"}"#

  @Test(arguments: ["under_review", "disqualified"])
  func `new content of an activity is refused while it is under review or disqualified`(status: String) async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    try await course.session.run(Outing.call(athlete))
    try await course.session.run("UPDATE racing.activity SET status = '\(status)', scored = true")
    try await expectRefusal(sqlState: "SD409", rule: "frozen") {
      try await course.session.run(Outing.call(athlete, Self.other))
    }
  }

  /// The race's window is all of 3 June UTC, and it is due an hour after.
  static let times: [(old: String, new: String, now: String, outcome: String)] = [
    (inside, inside, "2031-06-04T00:59:59Z", "ok"),
    (inside, inside, "2031-06-04T01:00:00Z", "SD409 frozen"),
    (inside, before, "2031-06-04T01:00:00Z", "SD409 frozen"),  // the old start is in the window
    (before, inside, "2031-06-04T01:00:00Z", "SD409 frozen"),  // the new one is
    (before, before, "2031-06-04T01:00:00Z", "ok"),
    (inside, before, "2031-06-04T00:59:59Z", "ok"),
    (before, inside, "2031-06-04T00:59:59Z", "ok"),
    ("2031-06-03T00:00:00Z", "2031-06-03T00:00:00Z", "2031-06-04T01:00:00Z", "SD409 frozen"),
    ("2031-06-04T00:00:00Z", "2031-06-04T00:00:00Z", "2031-06-04T01:00:00Z", "ok"),  // half-open
    ("2031-06-03T23:59:59.999999Z", before, "2031-06-04T01:00:00Z", "SD409 frozen"),
  ]

  @Test func `new content is refused once a race that contains its old or new start is due`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    _ = try await course.enter(athlete, course.race())
    // Each activity is over by then, and the race is not due.
    try await course.setClock("2031-06-04T00:30:00Z")
    for each in Self.times {
      let ended = try await outcome {
        try await session.transaction(commit: false) { transaction in
          try await transaction.run(Outing.call(athlete, #"{"startDate": "\#(each.old)"}"#))
          try await transaction.run("SELECT settled.set_clock('\(each.now)')")
          try await transaction.run(Outing.call(athlete, #"{"startDate": "\#(each.new)", "name": "other"}"#))
        }
      }
      #expect(ended == each.outcome, "\(each)")
    }
  }

  /// Only a race that the athlete has entered, and that is not cancelled, freezes.
  @Test(
    arguments: [
      ("SELECT 1", "SD409 frozen"), ("UPDATE racing.race SET status = 'settled'", "SD409 frozen"),
      ("UPDATE racing.race SET status = 'cancelled'", "ok"), ("UPDATE racing.entry SET athlete_id = 2", "ok"),
    ])
  func `new content is refused only because of races that its athlete has entered`(change: String, expected: String)
    async throws
  {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    // The entry becomes another's, which the guard refuses.
    try await course.session.run("ALTER TABLE racing.entry DISABLE TRIGGER kept")
    let athlete = try await course.athlete()
    _ = try await course.athlete("Second")
    _ = try await course.enter(athlete, course.race())
    try await course.session.run(Outing.call(athlete))
    try await course.session.run(change)
    try await course.setClock("2031-06-04T01:00:00Z")
    #expect(try await course.session.tried(Outing.call(athlete, Self.other)) == expected)
    #expect(try await course.session.tried(Outing.call(athlete, #"{"stravaId": 5}"#)) == "ok", "a first import is free")
  }

  @Test func `new content of an activity wakes a race that waits for a review`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    _ = try await course.enter(athlete, course.race())
    try await session.run(Outing.call(athlete))
    try await course.setClock("2031-06-04T00:30:00Z")
    try await session.run(
      "UPDATE racing.race SET status = 'ended', next_check_at = due_at + interval '3 days', waiting_activities = '{1}'")
    try await session.run(Outing.call(athlete, Self.other))
    try await session.expect(
      "(SELECT jsonb_build_array(next_check_at = due_at, waiting_activities) FROM racing.race)", is: "[true, []]")
  }
}
