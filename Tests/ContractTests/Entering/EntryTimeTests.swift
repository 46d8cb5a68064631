import Postgres
import TestSupport
import Testing

@Suite("Entering a race") struct EntryTimeTests {
  @Test func `entering a race is open until the cut-off and closed at it`() async throws {
    let course = try await Course()
    let early = try await course.athlete("Early")
    let late = try await course.athlete("Late")
    let race = try await course.race()
    try await course.setClock("2031-06-03T20:59:59Z")
    _ = try await course.enter(early, race)
    try await course.setClock("2031-06-03T21:00:00Z")
    try await expectRefusal(sqlState: "SD409", rule: "cutoff") { try await course.enter(late, race) }
    #expect(try await course.balance(early) == 9_900)
    #expect(try await course.balance(late) == 10_000)
  }

  @Test func `entering a race charges the fee and counts the entry in one journal`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 1_600)
    let race = try await course.race(duration: "monthly")
    let entry = try await course.enter(athlete, race)
    let session = course.session
    #expect(try await course.balance(athlete) == 1)
    #expect(try await session.value("SELECT entry_count FROM racing.race WHERE id = \(race)") == 1)
    try await session.expect(
      """
      (SELECT jsonb_agg(jsonb_build_array(p.account, p.athlete_id, p.race_id, p.entry_id, p.amount_pence, p.balance_pence)
        ORDER BY p.id) FROM racing.posting p JOIN racing.journal j ON j.id = p.journal_id WHERE j.kind = 'entry_fee')
      """,
      is: #"[["wallet", \#(athlete), null, \#(entry), -1599, 1], ["pool", null, \#(race), \#(entry), 1599, null]]"#)
  }

  @Test func `two entries at once with money for one make one entry and one charge`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 199)
    let races = [try await course.race(), try await course.race(type: "furthest_distance")]
    let outcomes = try await course.calls(
      races.map { "SELECT racing.enter_race(\(athlete), \($0))" },
      heldBy: "SELECT 1 FROM racing.wallet WHERE athlete_id = \(athlete) FOR UPDATE")
    #expect(outcomes.sorted() == ["SD402 funds", "ok"])
    try await expectOneEntry(course, athlete, balance: 99)
  }

  @Test func `two entries in the same race at once make one entry and one charge`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 1_000)
    let race = try await course.race()
    let outcomes = try await course.calls(
      Array(repeating: "SELECT racing.enter_race(\(athlete), \(race))", count: 3),
      heldBy: "SELECT 1 FROM racing.race WHERE id = \(race) FOR UPDATE")
    #expect(outcomes.sorted() == ["SD409 already-entered", "SD409 already-entered", "ok"])
    try await expectOneEntry(course, athlete, balance: 900)
  }

  @Test(
    arguments: [
      ("SELECT settled.set_clock('2031-06-03T21:00:00Z')", "SD409 cutoff"),
      ("UPDATE racing.race SET status = 'cancelled'", "SD409 status"),
      ("UPDATE racing.race SET status = 'ended'", "SD409 status"),
      ("UPDATE racing.race SET entry_count = 0", "ok"),
    ])
  func `entering a race reads clock and status after it has the race's lock`(meanwhile: String, expected: String)
    async throws
  {
    let course = try await Course()
    let athlete = try await course.athlete()
    let race = try await course.race()
    try await course.setClock("2031-06-03T20:59:59Z")
    let waiting = try await course.calls(
      ["SELECT racing.enter_race(\(athlete), \(race))"],
      heldBy: "SELECT 1 FROM racing.race FOR NO KEY UPDATE", meanwhile: meanwhile)
    #expect(waiting == [expected])
  }

  private func expectOneEntry(_ course: Course, _ athlete: Int64, balance: Int64) async throws {
    let session = course.session
    #expect(try await course.balance(athlete) == balance)
    #expect(try await session.value("SELECT count(*) FROM racing.entry") == 1)
    #expect(try await session.value("SELECT count(*) FROM racing.journal WHERE kind = 'entry_fee'") == 1)
    #expect(try await session.value("SELECT sum(entry_count)::bigint FROM racing.race") == 1)
    try await session.expect("racing.verify_ledger() -> 'differences'", is: "[]")
  }
}
