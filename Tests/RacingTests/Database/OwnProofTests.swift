import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Claims.md, "Whose id it is", and Racing.docc/Proof.md, "Accounts".
@Suite("The account that proves an activity", .timeLimit(.minutes(2))) struct OwnProofTests {
  private static let own: Int64 = 9002
  private static let friends: Int64 = 9001

  /// Dan has claimed his friend's outing with the friend's account, and signs in with his own.
  private func borrowed() async throws -> (world: ClaimDay, dan: Int64, race: Int64) {
    let world = try await ClaimDay()
    let dan = try await world.athlete("Dan")
    let race = try await world.day.course.race()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.sign(dan, in: Self.friends)
    try await world.post(dan, ClaimDay.outing(1, speed: "6"))
    try await world.answer(dan, 1, "found", ClaimDay.outing(1, speed: "6"))
    try await world.day.validate()
    try await world.sign(dan, in: Self.own)
    return (world, dan, race)
  }

  private func ranked(_ world: ClaimDay, _ race: Int64) async throws -> [Int64] {
    try await world.session.query("SELECT athlete_id FROM racing.standings(\(race)) ORDER BY rank").decode(Int64.self)
  }

  @Test func `a friend's outing does not count for whoever borrowed the account, and goes to the friend`() async throws
  {
    let (world, dan, race) = try await borrowed()
    _ = try await world.day.course.enter(dan, race)
    #expect(try await ranked(world, race) == [])
    let eva = try await world.athlete("Eva")
    try await world.sign(eva, in: Self.friends)
    _ = try await world.day.course.enter(eva, race)
    try await world.post(eva, ClaimDay.outing(1, speed: "6"))
    try await world.answer(eva, 1, "found", ClaimDay.outing(1, speed: "6"))
    try await world.day.validate()
    #expect(
      try await world.activities() == ["(1) of \(dan) rejected {provider}", "1 of \(eva) verified {}"])
    #expect(try await ranked(world, race) == [eva])
    try await world.day.finish()
    let winners = try await world.session.query("SELECT athlete_id FROM racing.payout").decode(Int64.self)
    #expect(winners == [eva])
    #expect(try await world.day.differences() == [])
  }

  @Test func `an activity of an account that entered a race counts under a later account`() async throws {
    let (world, dan, race) = try await borrowed()
    try await world.sign(dan, in: Self.friends)
    _ = try await world.day.course.enter(dan, race)
    try await world.sign(dan, in: Self.own)
    #expect(try await ranked(world, race) == [dan])
    // It is nobody else's, and stays.
    let displaced = try await world.session.query("SELECT racing.may_displace(a) FROM racing.activity AS a").one(
      Bool.self)
    #expect(!displaced)
  }

  @Test func `an entry that comes back does not count what a friend's account has proved`() async throws {
    let (world, dan, race) = try await borrowed()
    let ann = try await world.athlete("Ann")
    for athlete in [ann, dan] { _ = try await world.day.course.enter(athlete, race) }
    for (athlete, id, speed) in [(ann, 2, "5"), (dan, 3, "4")] as [(Int64, Int64, String)] {
      try await world.post(athlete, ClaimDay.outing(id, speed: speed))
      try await world.answer(athlete, id, "found", ClaimDay.outing(id, speed: speed))
    }
    try await world.day.validate()
    try await world.day.finish()
    func winner() async throws -> Int64 {
      try await world.session.query(
        "SELECT athlete_id FROM racing.payout WHERE race_id = \(race) AND place = 1 ORDER BY revision DESC LIMIT 1"
      ).one(Int64.self)
    }
    #expect(try await winner() == ann)
    let spoilt = try await world.session.query("SELECT id FROM racing.activity WHERE strava_id = 3").one(Int64.self)
    try await world.day.course.review(spoilt, "disqualify")
    try await world.day.settle()
    try await world.day.course.overrule(spoilt, "approve")
    try await world.day.settle()
    #expect(try await world.day.course.revisions(race) == 3)
    #expect(try await winner() == ann)
    #expect(try await world.day.differences() == [])
  }

  @Test func `a late entry of an overruled disqualification does not count what a friend's account has proved`()
    async throws
  {
    let (world, dan, race) = try await borrowed()
    let (ann, borrowed) = (
      try await world.athlete("Ann"),
      try await world.session.query("SELECT id FROM racing.activity WHERE strava_id = 1").one(Int64.self)
    )
    try await world.day.course.review(borrowed, "disqualify")
    for athlete in [ann, dan] { _ = try await world.day.course.enter(athlete, race) }
    try await world.post(ann, ClaimDay.outing(2, speed: "5"))
    try await world.answer(ann, 2, "found", ClaimDay.outing(2, speed: "5"))
    try await world.day.validate()
    try await world.day.finish()
    try await world.day.course.overrule(borrowed, "approve")
    try await world.day.settle()
    #expect(try await world.day.course.revisions(race) == 1)
    #expect(try await world.day.differences() == [])
  }

  @Test func `accounts do not matter without proof, nor where none was kept`() async throws {
    let (world, dan, race) = try await borrowed()
    _ = try await world.day.course.enter(dan, race)
    _ = try await world.session.query("SELECT settled.set('racing.proof', 'off')")
    #expect(try await ranked(world, race) == [dan])
    _ = try await world.session.query("SELECT settled.set('racing.proof', 'on')")
    #expect(try await ranked(world, race) == [])
    try await world.session.execute("UPDATE racing.activity SET proved_by = NULL")
    #expect(try await ranked(world, race) == [dan])
    // The next time that it is shown its account is known.
    try await world.list(dan, [ClaimDay.outing(1, speed: "6")])
    let account = try await world.session.query("SELECT proved_by FROM racing.activity").one(Int64.self)
    #expect(account == Self.own)
  }

  @Test func `a listing that began before the athlete signed in proves nothing, and is asked for again`() async throws {
    let world = try await ClaimDay()
    let dan = try await world.athlete("Dan")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.sign(dan, in: Self.own)
    try await world.list(dan, [ClaimDay.outing(1)], askedAt: "2031-06-03T11:59:59.999999Z")
    #expect(try await world.activities() == [])
    #expect(try await world.reads(dan) == ["listing 1"])
    try await world.list(dan, [ClaimDay.outing(1)], askedAt: "2031-06-03T12:00:00Z")
    #expect(try await world.activities() == ["1 of \(dan) pending {}"])
  }

  @Test func `doctor counts the entrants of races to come whose provider gives another gender`() async throws {
    let world = try await ClaimDay()
    let check = try #require(RacingChecks.checks.first { $0.name == "entrants' genders" })
    func finding() async throws -> String {
      try await world.session.transaction { try await check.run($0).finding }
    }
    let race = try await world.day.course.race()
    for (name, sex) in [("Ann", "F"), ("Bob", "M"), ("Cat", "F")] {
      let athlete = try await world.athlete(name)
      _ = try await world.session.query("SELECT racing.keep_gender(\(athlete), \(sex))")
      if name != "Cat" { _ = try await world.day.course.enter(athlete, race) }
    }
    #expect(try await finding() == "1 entrant has a different gender at the provider")
    try await world.day.cancel(race)
    #expect(try await finding() == "no entrant has a different gender at the provider")
  }

  @Test func `the provider's flag, new content and a deletion reach one who has become a spectator`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    let race = try await world.day.course.race()
    _ = try await world.day.course.enter(ann, race)
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2, 3] as [Int64] {
      try await world.post(ann, ClaimDay.outing(id))
      try await world.answer(ann, id, "found", ClaimDay.outing(id))
    }
    try await world.day.validate()
    _ = try await world.session.query(#"SELECT racing.update_athlete(\#(ann), '{"userType": "spectator"}')"#)
    try await world.list(ann, [ClaimDay.outing(1, more: #", "flagged": true"#), ClaimDay.outing(3, distance: "5000")])
    try await world.answer(ann, 2, "missing")
    let rows = try await world.session.query(
      "SELECT concat_ws(' ', strava_id, status, distance, deleted_at IS NOT NULL) FROM racing.activity ORDER BY id"
    ).decode(String.self)
    #expect(rows == ["1 under_review 6000 f", "2 verified 6000 t", "3 pending 5000 f"])
    // The app still sends nothing.
    let sent: Statement = "SELECT racing.import_activity(\(ann), \(ClaimDay.outing(4)))"
    #expect(try await outcome { _ = try await world.session.query(sent) } == "SD403 spectator")
  }
}
