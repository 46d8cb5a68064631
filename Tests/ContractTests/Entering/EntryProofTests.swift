import Postgres
import TestSupport
import Testing

/// Entries while `racing.proof` is on.
@Suite("The proof of an entrant") struct EntryProofTests {
  private let course: Course
  private let race: Int64

  init() async throws {
    course = try await Course()
    try await course.session.run("SELECT settled.set('racing.proof', 'on')")
    race = try await course.race()
  }

  /// How an entry ends that is rolled back: the rule, and `retry` where its detail has it.
  private func entering(_ athlete: Int64) async throws -> String {
    do {
      try await course.session.transaction(commit: false) {
        try await $0.run("SELECT racing.enter_race(\(athlete), \(race))")
      }
      return "ok"
    } catch let error as PostgresError {
      guard let detail = error.detail else { throw error }
      let read: Statement = "SELECT concat_ws(' ', \(detail)::jsonb ->> 'rule', \(detail)::jsonb -> 'retry')"
      return try await course.session.query(read).one(String.self)
    }
  }

  /// What the daemon writes of an athlete's code, as a former release calls it where `sex` is nil.
  private func exchange(_ athlete: Int64, account: Int64, sex: String? = nil) async throws -> String {
    let more: Statement = if let sex { ", \(sex)" } else { "" }
    return try await course.session.query(
      """
      SELECT k.outcome FROM strava.connection AS c, strava.keep_tokens(c.athlete_id, c.tokens_given, c.attempt, \(account),
        'key', '\\x00', 'at', settled.clock() + interval '6 hours', settled.clock() + interval '5 hours'\(fragment: more)) AS k
      WHERE c.athlete_id = \(athlete)
      """
    ).one(String.self)
  }

  private func reconnect(_ athlete: Int64) async throws {
    try await course.session.run("SELECT racing.connect_strava(\(athlete), 'again', 'read')")
  }

  private func disconnect(_ athlete: Int64) async throws {
    try await course.session.run("SELECT racing.disconnect_strava(\(athlete))")
    try await course.session.run("SELECT strava.forget_tokens(\(athlete))")
  }

  @Test func `an athlete enters once the provider has named an account, and then in each state but revoked`()
    async throws
  {
    let athlete = try await course.athlete()
    #expect(try await entering(athlete) == "not-proved true")
    #expect(try await exchange(athlete, account: 77) == "active")
    #expect(try await entering(athlete) == "ok")
    // Signing in again takes nothing away, and neither does a code that is refused then.
    try await reconnect(athlete)
    #expect(try await entering(athlete) == "ok")
    for reason in ["code", "grant", "lost-reply", "fork"] {
      try await course.session.run("UPDATE strava.connection SET status = 'needs_reauth', reason = '\(reason)'")
      #expect(try await entering(athlete) == "ok", "\(reason)")
    }
    try await disconnect(athlete)
    #expect(try await entering(athlete) == "not-connected")
    try await reconnect(athlete)
    #expect(try await entering(athlete) == "not-proved true")
  }

  @Test func `a code that the provider refuses proves nothing, and waiting does not help`() async throws {
    let athlete = try await course.athlete()
    try await course.session.run("SELECT strava.need_connection(\(athlete), NULL, 'code')")
    #expect(try await entering(athlete) == "not-proved")
    // Without a code nothing is exchanged.
    try await course.session.run("UPDATE strava.connection SET status = 'connecting', reason = NULL")
    try await course.session.run("DELETE FROM strava.secret")
    #expect(try await entering(athlete) == "not-proved")
  }

  @Test func `proof is asked for after the connection and before the profile, and the switch works at once`()
    async throws
  {
    let athlete = try await course.athlete(gender: nil)
    #expect(try await entering(athlete) == "not-proved true")
    try await course.session.run("SELECT settled.set('racing.proof', 'off')")
    #expect(try await entering(athlete) == "profile")
    try await course.session.run("SELECT settled.set('racing.proof', 'on')")
    #expect(try await entering(athlete) == "not-proved true")
    try await course.session.run("SELECT racing.disconnect_strava(\(athlete))")
    #expect(try await entering(athlete) == "not-connected")
  }

  @Test func `an account that has entered a race stays its athlete's after disconnecting, also for a former daemon`()
    async throws
  {
    let (first, second) = (try await course.athlete(), try await course.athlete("Bea"))
    #expect(try await exchange(first, account: 77) == "active")
    _ = try await course.enter(first, race)
    try await disconnect(first)
    #expect(try await course.session.value("SELECT count(provider_athlete_id) FROM strava.connection") == 0)
    #expect(try await exchange(second, account: 77) == "taken")
    #expect(try await entering(second) == "not-proved")
    // A writer who asks nobody is refused, too.
    let direct = await #expect(throws: PostgresError.self) {
      try await course.session.run("UPDATE strava.connection SET provider_athlete_id = 77 WHERE athlete_id = \(second)")
    }
    #expect(direct?.constraint == "connection_entered_account")
    // Another account is free; the first one's owner comes back with it, and even a code that is still open will do.
    try await reconnect(second)
    #expect(try await exchange(second, account: 78) == "active")
    #expect(try await entering(second) == "ok")
    try await reconnect(first)
    let other = try await course.race(type: "furthest_distance")
    _ = try await course.enter(first, other)
    #expect(try await exchange(first, account: 77) == "active")
  }

  @Test func `somebody who comes back with another athlete's account is not proved until they come with their own`()
    async throws
  {
    let (first, second) = (try await course.athlete(), try await course.athlete("Bea"))
    #expect(try await exchange(first, account: 77) == "active")
    #expect(try await exchange(second, account: 78) == "active")
    try await reconnect(second)
    #expect(try await exchange(second, account: 77) == "taken")
    #expect(try await entering(second) == "not-proved")
    try await reconnect(second)
    #expect(try await exchange(second, account: 78) == "active")
    #expect(try await entering(second) == "ok")
  }

  @Test func `an account is free again once its athlete is erased, whose races are all over by then`() async throws {
    let (first, second) = (try await course.athlete(pence: 100), try await course.athlete("Bea"))
    #expect(try await exchange(first, account: 77) == "active")
    _ = try await course.enter(first, race)
    try await expectRefusal(sqlState: "SD409", rule: "race") {
      try await course.session.run("SELECT racing.erase_athlete(\(first))")
    }
    #expect(try await exchange(second, account: 77) == "taken")
    try await course.session.run("UPDATE racing.race SET status = 'settled'")
    try await course.session.run("SELECT racing.erase_athlete(\(first))")
    #expect(try await course.session.value("SELECT count(*) FROM racing.entered_account") == 0)
    try await reconnect(second)
    #expect(try await exchange(second, account: 77) == "active")
  }

  @Test func `an account passes on while proof is off, and stays where it is once proof is on`() async throws {
    try await course.session.run("SELECT settled.set('racing.proof', 'off')")
    let (first, second) = (try await course.athlete(), try await course.athlete("Bea"))
    #expect(try await exchange(first, account: 77) == "active")
    _ = try await course.enter(first, race)
    try await disconnect(first)
    #expect(try await exchange(second, account: 77) == "active")
    _ = try await course.enter(second, race)
    try await course.session.run("SELECT settled.set('racing.proof', 'on')")
    try await disconnect(second)
    try await reconnect(first)
    #expect(try await exchange(first, account: 77) == "taken")
  }

  @Test(arguments: [("M", "male"), ("F", "female"), ("X", nil), (nil, nil)])
  func `an athlete without a gender gets the provider's, and one who has it keeps their own`(
    sex: String?, gender: String?
  ) async throws {
    let unknown = try await course.athlete(gender: nil)
    #expect(try await exchange(unknown, account: 77, sex: sex) == "active")
    let read: Statement = "SELECT gender FROM racing.athlete ORDER BY id"
    #expect(try await course.session.query(read).decode(String?.self) == [gender])
    let known = try await course.athlete("Bea", gender: "other")
    #expect(try await exchange(known, account: 78, sex: sex) == "active")
    #expect(try await course.session.query(read).decode(String?.self) == [gender, "other"])
  }

  @Test func `no gender is taken from another athlete's account, from one that was left, or while proof is off`()
    async throws
  {
    let (owner, thief, leaver) = (
      try await course.athlete(), try await course.athlete("Bea", gender: nil),
      try await course.athlete("Cy", gender: nil)
    )
    #expect(try await exchange(owner, account: 77) == "active")
    #expect(try await exchange(thief, account: 77, sex: "F") == "taken")
    try await course.session.run("SELECT racing.disconnect_strava(\(leaver))")
    let late: Statement = """
      SELECT outcome FROM strava.keep_tokens(\(leaver), 0, 1, 78, 'key', '\\x00', 'at', settled.clock(), settled.clock(), 'F')
      """
    #expect(try await course.session.query(late).one(String.self) == "revoked")
    try await course.session.run("SELECT settled.set('racing.proof', 'off')")
    let early = try await course.athlete("Di", gender: nil)
    #expect(try await exchange(early, account: 79, sex: "F") == "active")
    #expect(try await course.session.value("SELECT count(gender) FROM racing.athlete") == 1)
  }

  @Test func `an entry that waits for an operator's disconnection is refused after it`() async throws {
    let athlete = try await course.athlete()
    #expect(try await exchange(athlete, account: 77) == "active")
    let outcomes = try await course.calls(
      ["SELECT racing.enter_race(\(athlete), \(race))"], heldBy: "SELECT strava.disconnect(\(athlete))",
      meanwhile: "SELECT strava.forget_tokens(\(athlete))")
    #expect(outcomes == ["SD403 not-connected"])
  }

  @Test func `an exchange that brings a gender waits for an entry, and neither waits for the other in turn`()
    async throws
  {
    let athlete = try await course.athlete()
    #expect(try await exchange(athlete, account: 77) == "active")
    try await reconnect(athlete)
    let (entering, keeping) = (try await course.database.connect(), try await course.database.connect(.daemon))
    try await entering.execute("BEGIN")
    try await entering.execute("SELECT FROM racing.athlete WHERE id = \(athlete) FOR SHARE")
    let kept = Task {
      try await keeping.query(
        """
        SELECT outcome FROM strava.keep_tokens(\(athlete), 1, 2, 77, 'key', '\\x00', 'at', settled.clock() + interval '6 h',
          settled.clock() + interval '5 h', 'M')
        """
      ).one(String.self)
    }
    try await course.session.untilBlocked(by: entering.backend())
    _ = try await entering.query("SELECT racing.enter_race(\(athlete), \(race))")
    try await entering.execute("COMMIT")
    #expect(try await kept.value == "active")
  }
}
