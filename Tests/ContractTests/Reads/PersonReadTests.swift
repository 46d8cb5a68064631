import Postgres
import TestSupport
import Testing

@Suite("Reads of an athlete") struct PersonReadTests {
  private static func athlete(
    born: String = #""2003-05-05""#, gender: String = #""male""#, type: String = "racer", strava: String,
    updatedAt: String = "2031-06-02T09:00:00.000Z"
  ) -> String {
    """
    {"id": 1, "displayName": "Ann Other", "dateOfBirth": \(born), "gender": \(gender), "userType": "\(type)",
     "strava": \(strava), "createdAt": "2031-06-02T09:00:00.000Z", "updatedAt": "\(updatedAt)"}
    """
  }

  @Test func `racing.profile has exactly the contract's shape`() async throws {
    let course = try await Course()
    let session = course.session
    try await session.run("SELECT racing.create_athlete('Ann Other')")
    try await session.expect("racing.athlete(1)", is: Self.athlete(born: "null", gender: "null", strava: "null"))
    let changes = #"{"dateOfBirth": "2003-05-05", "gender": "male"}"#
    try await session.expect("racing.update_athlete(1, '\(changes)')", is: Self.athlete(strava: "null"))
    for (scope, missing) in [
      ("", #"["read", "activity:read_all", "profile:read_all"]"#),
      ("read,activity:read", #"["activity:read_all", "profile:read_all"]"#),
      ("profile:read_all activity:read_all,read,write", "[]"),
    ] {
      try await session.run("SELECT racing.connect_strava(1, 'c', '\(scope)')")
      let shown = Self.athlete(strava: #"{"status": "connecting", "missingScopes": \#(missing)}"#)
      try await session.expect("racing.athlete(1)", is: shown, "\(scope)")
    }
    try await session.run("SELECT racing.disconnect_strava(1)")
    try await session.expect(
      "racing.athlete(1)", is: Self.athlete(strava: #"{"status": "revoked", "missingScopes": []}"#))
    #expect(try await session.value("SELECT count(*) FROM strava.secret") == 0)
    try await session.run("SELECT racing.disconnect_strava(1)")
  }

  @Test func `an update of the profile keeps the keys that it does not name`() async throws {
    let course = try await Course()
    let session = course.session
    _ = try await course.athlete()
    let strava = #"{"status": "connecting", "missingScopes": []}"#
    for changes in ["{}", #"{"displayName": null, "dateOfBirth": null, "gender": null, "userType": null}"#] {
      try await session.expect("racing.update_athlete(1, '\(changes)')", is: Self.athlete(strava: strava))
    }
    try await course.setClock("2031-06-02T09:30:00.5Z")
    let spectator = Self.athlete(type: "spectator", strava: strava, updatedAt: "2031-06-02T09:30:00.500Z")
    try await session.expect(#"racing.update_athlete(1, '{"userType": "spectator"}')"#, is: spectator)
    for call in [
      "SELECT racing.connect_strava(1, 'c', '')", "SELECT racing.deposit(1, 1, 'new')", Outing.call(1),
    ] {
      #expect(try await session.tried(call) == "SD403 spectator", "\(call)")
    }
  }

  @Test func `a wallet and its transactions have exactly the contract's shape, newest first`() async throws {
    let course = try await Course()
    let session = course.session
    let athlete = try await course.athlete(pence: 0)
    try await session.expect("racing.transactions(\(athlete))", is: "[]")
    try await session.run("SELECT racing.deposit(\(athlete), 150, 'k')")
    try await course.setClock("2031-06-02T10:00:00.0019Z")
    let race = try await course.race()
    let entry = try await course.enter(athlete, race)
    let ids = try await session.value(
      "SELECT array_agg(id ORDER BY id) FROM racing.posting WHERE account = 'wallet'", as: [Int64].self)
    try await session.expect(
      "racing.transactions(\(athlete))",
      is: """
        [{"id": \(ids[1]), "kind": "entry_fee", "amountPence": -100, "balancePence": 50, "status": "completed",
          "raceId": \(race), "entryId": \(entry), "description": "Entry fee: daily top_speed, senior_men",
          "createdAt": "2031-06-02T10:00:00.001Z"},
         {"id": \(ids[0]), "kind": "deposit", "amountPence": 150, "balancePence": 150, "status": "completed",
          "raceId": null, "entryId": null, "description": "Deposit", "createdAt": "2031-06-02T09:00:00.000Z"}]
        """)
    try await session.run("UPDATE racing.wallet SET pending_pence = 3, receivable_pence = 4")
    try await session.expect(
      "racing.wallet(\(athlete))",
      is: """
        {"athleteId": \(athlete), "balancePence": 50, "pendingWithdrawalPence": 3, "receivablePence": 4,
         "withdrawablePence": 50, "restingPence": 0,
         "createdAt": "2031-06-02T09:00:00.000Z", "updatedAt": "2031-06-02T10:00:00.001Z"}
        """)
  }

  @Test func `an athlete's activities have exactly the contract's shape`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    let other = try await course.athlete("Bob")
    try await session.run(Outing.call(athlete, #"{"elapsedTime": 600.50, "name": "é"}"#))
    let nothing = #"{"stravaId": 2, "maxSpeed": null, "startLocation": null, "endLocation": null, "polyline": null}"#
    try await session.run(Outing.call(other, nothing))
    try await session.script(
      """
      UPDATE racing.activity SET status = 'verified', scored = true, flag_count = 2, flagged_at = imported_at WHERE id = 1;
      UPDATE racing.activity SET status = 'rejected', reasons = '{gps,uk}' WHERE id = 2;
      """)
    let first = """
      {"id": 1, "athleteId": 1, "displayName": "Ann Other", "stravaId": 1001, "name": "é", "activityType": "Kayaking",
       "startDate": "2031-06-03T10:00:00.000Z", "distance": 2000.25, "elapsedTime": 600.50, "movingTime": 590.5,
       "maxSpeed": 4.2, "startLocation": {"latitude": 51.5, "longitude": -0.1},
       "endLocation": {"latitude": 51.6, "longitude": -0.1}, "status": "verified", "reasons": [], "flagCount": 2,
       "importedAt": "2031-06-03T12:00:00.000Z", "visibility": "everyone"}
      """
    let second = """
      {"id": 2, "athleteId": 2, "displayName": "Bob", "stravaId": 2, "name": "n", "activityType": "Kayaking",
       "startDate": "2031-06-03T10:00:00.000Z", "distance": 2000.25, "elapsedTime": 600, "movingTime": 590.5,
       "maxSpeed": null, "startLocation": null, "endLocation": null, "status": "rejected", "reasons": ["gps", "uk"],
       "flagCount": 0, "importedAt": "2031-06-03T12:00:00.000Z", "visibility": "everyone"}
      """
    try await session.expect("racing.activity(1)", is: first.dropLast() + #", "polyline": "abc"}"#)
    try await session.expect("racing.activity(2)", is: second.dropLast() + #", "polyline": null}"#)
    try await session.expect("racing.activities(1)", is: "[\(first)]")
    try await session.expect("racing.activities(2)", is: "[\(second)]")
    try await session.expect("racing.activities()", is: "[\(first)]", "everyone's verified ones")
  }
}
