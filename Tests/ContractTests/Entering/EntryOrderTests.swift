import Postgres
import TestSupport
import Testing

@Suite("The checks of enter_race") struct EntryOrderTests {
  /// Each step repairs what the one before was refused for, and nothing else.
  ///
  /// The athlete and the race break every later rule from the beginning, an entry that is already there included.
  @Test func `the checks of enter_race follow the order of the rules and name the first broken one`() async throws {
    let course = try await Course()
    let session = course.session
    let athlete = try await session.value("SELECT racing.create_athlete('E', user_type => 'spectator')")
    let race = try await course.race(type: "fastest_1km", duration: "weekly", category: "senior_women")
    try await session.run("UPDATE racing.race SET status = 'ended' WHERE id = \(race)")
    try await course.setClock("2031-06-03T21:00:00Z")
    try await session.run(
      """
      INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at)
      VALUES (\(race), \(athlete), 499, settled.clock())
      """)

    // One repair takes the entry away again, which the guard refuses.
    try await session.run("ALTER TABLE racing.entry DISABLE TRIGGER kept")

    let nobody = -1
    let steps: [(repair: String, athlete: Int64, race: Int64, refusal: String)] = [
      ("SELECT 1", Int64(nobody), Int64(nobody), "SD404 race"),
      ("SELECT 1", Int64(nobody), race, "SD404 athlete"),
      ("SELECT 1", athlete, race, "SD403 spectator"),
      (#"SELECT racing.update_athlete(\#(athlete), '{"userType": "racer"}')"#, athlete, race, "SD403 not-connected"),
      (
        "SELECT racing.connect_strava(\(athlete), 'c', 'read'), racing.disconnect_strava(\(athlete))",
        athlete, race, "SD403 not-connected"
      ),
      ("SELECT racing.connect_strava(\(athlete), 'c', 'read')", athlete, race, "SD403 profile"),
      ("SELECT racing.correct_athlete(\(athlete), NULL, 'male')", athlete, race, "SD403 profile"),
      (
        "SELECT racing.correct_athlete(\(athlete), '1991-06-03', NULL)",
        athlete, race, "SD409 status"
      ),
      ("UPDATE racing.race SET status = 'active' WHERE id = \(race)", athlete, race, "SD409 cutoff"),
      (
        "UPDATE racing.race SET entry_cutoff = '2:59:59' WHERE id = \(race)",
        athlete, race, "SD403 category"
      ),
      ("SELECT racing.correct_athlete(\(athlete), NULL, 'female')", athlete, race, "SD403 category"),
      (
        "SELECT racing.correct_athlete(\(athlete), '1996-06-04', NULL)",
        athlete, race, "SD409 already-entered"
      ),
      ("DELETE FROM racing.entry WHERE race_id = \(race)", athlete, race, "SD402 funds"),
      ("SELECT racing.deposit(\(athlete), 498, 'one')", athlete, race, "SD402 funds"),
      ("SELECT racing.deposit(\(athlete), 1, 'two')", athlete, race, "ok"),
      ("SELECT 1", athlete, race, "SD409 already-entered"),
    ]
    for step in steps {
      try await session.run(step.repair)
      let ended = try await outcome { try await course.enter(step.athlete, step.race) }
      #expect(ended == step.refusal, "after \(step.repair)")
    }
  }

  @Test(arguments: ["connecting", "active", "needs_reauth"])
  func `enter_race accepts an athlete by the status of the connection`(status: String) async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    try await course.session.run(
      "UPDATE strava.connection SET status = '\(status)', reason = \(status == "needs_reauth" ? "'grant'" : "NULL")")
    _ = try await course.enter(athlete, course.race())
  }

  @Test(arguments: ["ended", "settled", "cancelled"])
  func `enter_race refuses a race by its status`(status: String) async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    let race = try await course.race()
    try await course.session.run("UPDATE racing.race SET status = '\(status)'")
    try await expectRefusal(sqlState: "SD409", rule: "status") { try await course.enter(athlete, race) }
    #expect(try await course.balance(athlete) == 10_000)
  }

  @Test(arguments: ["entered", "completed", "disqualified", "refunded"])
  func `enter_race refuses a second entry, in any state of the first`(status: String) async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    let race = try await course.race()
    _ = try await course.enter(athlete, race)
    try await course.session.run(
      "UPDATE racing.entry SET status = '\(status)', is_refunded = '\(status)' = 'refunded'")
    try await expectRefusal(sqlState: "SD409", rule: "already-entered") { try await course.enter(athlete, race) }
  }

  @Test func `enter_race accepts an athlete who owes money from a correction`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    try await course.session.run("UPDATE racing.wallet SET receivable_pence = 500")
    _ = try await course.enter(athlete, course.race())
  }
}
