import Postgres
import TestSupport
import Testing

@Suite("The profile of an athlete who has entered") struct ProfileTests {
  private static let costume = #"SELECT racing.update_athlete(1, '{"gender": "female"}')"#

  @Test(arguments: ["entered", "completed", "disqualified", "refunded"])
  func `a profile is frozen by an entry in any state`(status: String) async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    #expect(try await course.session.tried(Self.costume) == "ok")
    _ = try await course.enter(athlete, course.race())
    try await course.session.run("UPDATE racing.entry SET status = '\(status)', is_refunded = '\(status)' = 'refunded'")
    for changes in [
      #"{"gender": "female"}"#, #"{"dateOfBirth": "2003-05-06"}"#, #"{"dateOfBirth": "2003-05-05", "gender": "other"}"#,
    ] {
      let call = "SELECT racing.update_athlete(1, '\(changes)')"
      #expect(try await course.session.tried(call) == "SD409 profile-frozen", "\(changes)")
    }
    for changes in ["{}", #"{"dateOfBirth": "2003-05-05", "gender": "male"}"#, #"{"userType": "spectator"}"#] {
      #expect(try await course.session.tried("SELECT racing.update_athlete(1, '\(changes)')") == "ok", "\(changes)")
    }
  }

  @Test func `a change of the profile that waits for an entry is refused once the entry commits`() async throws {
    for (commit, outcome) in [(false, "ok"), (true, "SD409 profile-frozen")] {
      let course = try await Course()
      _ = try await course.athlete()
      _ = try await course.race()
      let ended = try await course.calls([Self.costume], heldBy: "SELECT racing.enter_race(1, 1)", commit: commit)
      #expect(ended == [outcome])
    }
  }

  @Test func `an entry that waits for a change of the profile is judged by the new one`() async throws {
    let course = try await Course()
    _ = try await course.athlete(gender: "female")
    _ = try await course.race(category: "senior_women")
    let ended = try await course.calls(
      ["SELECT racing.enter_race(1, 1)"], heldBy: #"SELECT racing.update_athlete(1, '{"gender": "male"}')"#)
    #expect(ended == ["SD403 category"])
  }

  @Test func `a correction changes a frozen profile, and refuses values that a profile cannot have`() async throws {
    let course = try await Course()
    let session = course.session
    _ = try await course.enter(course.athlete(), course.race())
    let was = #"{"athleteId": 1, "dateOfBirth": "2003-05-05", "gender": "male"}"#
    let now = #"{"athleteId": 1, "dateOfBirth": "2003-05-05", "gender": "female"}"#
    try await session.expect("racing.correct_athlete(1, NULL, 'female')", is: #"{"before": \#(was), "after": \#(now)}"#)
    let updated: Statement = "SELECT settled.iso(updated_at) FROM racing.athlete"
    let first = try await session.query(updated).one(String.self)
    // The same again changes nothing.
    try await course.setClock("2031-06-02T10:00:00Z")
    try await session.expect(
      "racing.correct_athlete(1, '2003-05-05', 'female')", is: #"{"before": \#(now), "after": \#(now)}"#)
    #expect(try await session.query(updated).one(String.self) == first)
    for (call, expected) in [
      ("NULL, NULL, NULL", "SD400 athlete-id"), ("9, NULL, 'male'", "SD404 athlete"),
      ("1, '2003-02-29', NULL", "SD400 date-of-birth"), ("1, '', NULL", "SD400 date-of-birth"),
      ("1, '2031-06-03', NULL", "SD400 date-of-birth"), ("1, '1899-12-31', NULL", "SD400 date-of-birth"),
      ("1, NULL, 'x'", "SD400 gender"), ("1, '1990-01-31', 'other'", "ok"),
    ] { #expect(try await session.tried("SELECT racing.correct_athlete(\(call))") == expected, "\(call)") }
  }
}
