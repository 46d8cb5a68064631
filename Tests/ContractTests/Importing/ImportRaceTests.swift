import Postgres
import TestSupport
import Testing

@Suite("Concurrent imports") struct ImportRaceTests {
  @Test func `an import of another athlete's strava id is refused`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athletes = [try await course.athlete(), try await course.athlete()]
    try await course.session.run(Outing.call(athletes[0]))
    for patch in ["{}", #"{"name": "other"}"#] {
      try await expectRefusal(sqlState: "SD409", rule: "strava-id") {
        try await course.session.run(Outing.call(athletes[1], patch))
      }
    }
  }

  @Test(arguments: [(true, "SD409 strava-id"), (false, "ok")])
  func `two athletes' imports of one new strava id wait for the first to commit or roll back`(
    commit: Bool, expected: String
  ) async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athletes = [try await course.athlete(), try await course.athlete()]
    let outcomes = try await course.calls(
      [Outing.call(athletes[1])], heldBy: Outing.call(athletes[0]), commit: commit)
    #expect(outcomes == [expected])
    #expect(try await course.session.value("SELECT athlete_id FROM racing.activity") == athletes[commit ? 0 : 1])
  }

  @Test func `four imports of one strava id of one athlete make one activity`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    let calls = (1...4).map { Outing.call(athlete, #"{"name": "\#($0)"}"#) }
    let lock = "SELECT 1 FROM racing.athlete FOR UPDATE"
    #expect(try await course.calls(calls, heldBy: lock) == ["ok", "ok", "ok", "ok"])
    #expect(try await course.session.value("SELECT count(*) FROM racing.activity") == 1)
  }

  /// Each is called a second before the race is due, and gets its lock when the clock has passed that.
  @Test(
    arguments: [
      "SELECT 1 FROM racing.race FOR NO KEY UPDATE", "SELECT 1 FROM racing.athlete FOR NO KEY UPDATE",
      "SELECT 1 FROM racing.activity FOR NO KEY UPDATE",
    ])
  func `an import that waits for a lock past the race's due time is judged by the later time`(lock: String) async throws
  {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    _ = try await course.enter(athlete, course.race())
    try await session.run(Outing.call(athlete))
    try await course.setClock("2031-06-04T00:59:59Z")
    let row = "SELECT to_jsonb(a) FROM racing.activity a"
    let before = try await session.json(row)
    let outcomes = try await course.calls(
      [Outing.call(athlete, #"{"name": "late"}"#)], heldBy: lock,
      meanwhile: "SELECT settled.set_clock('2031-06-04T01:00:00Z')")
    #expect(outcomes == ["SD409 frozen"])
    #expect(try await session.json(row) == before)
  }

  @Test(arguments: ["SELECT 1 FROM racing.race FOR NO KEY UPDATE", "SELECT 1 FROM racing.athlete FOR NO KEY UPDATE"])
  func `a new activity that waits for a lock past the race's due time is stamped after it`(lock: String) async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    let race = try await course.race()
    _ = try await course.enter(athlete, race)
    try await course.setClock("2031-06-04T00:59:59Z")
    let outcomes = try await course.calls(
      [Outing.call(athlete)], heldBy: lock, meanwhile: "SELECT settled.set_clock('2031-06-04T01:00:00Z')")
    #expect(outcomes == ["ok"])
    // Verified at once, it would still not count: it came when the race was due.
    try await course.session.run(
      "UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = 9")
    try await course.session.expect("racing.leaderboard(\(race)) -> 'entries'", is: "[]")
  }

  @Test func `an import does not wait for locks of races that it cannot change`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    _ = try await course.enter(athlete, course.race(from: "2031-06-05T00:00:00Z", to: "2031-06-06T00:00:00Z"))
    _ = try await course.race(type: "fastest_1km")  // not entered
    let holder = try await course.database.connect()
    try await holder.transaction { transaction in
      try await transaction.run("SELECT 1 FROM racing.race FOR UPDATE")
      try await course.session.run("SET lock_timeout = '1ms'")
      try await course.session.run(Outing.call(athlete))
    }
  }
}
