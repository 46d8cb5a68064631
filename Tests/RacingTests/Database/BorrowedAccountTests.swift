import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Claims.md, "Whose id it is", and Racing.docc/Proof.md, "Accounts".
@Suite("An athlete with two accounts at the provider", .timeLimit(.minutes(3))) struct BorrowedAccountTests {
  private static let friends: Int64 = 9001

  @Test func `streams of a summary that a friend's account has shown prove nothing`() async throws {
    let world = try await ClaimDay()
    let race = try await world.day.course.race(type: "fastest_1km")
    let (ann, dan) = (try await world.athlete("Ann"), try await world.athlete("Dan"))
    let own = 7000 + dan
    for athlete in [ann, dan] { _ = try await world.day.course.enter(athlete, race) }
    try await world.session.execute("UPDATE strava.connection SET expires_at = '2031-07-01T00:00:00Z'")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    // Ann is honest: 6 minutes a kilometre.
    try await world.post(ann, ClaimDay.outing(2, distance: "5000"))
    try await world.answer(ann, 2, "found", ClaimDay.outing(2, distance: "5000"))
    let request = try await world.session.query(
      "SELECT id FROM strava.read_request WHERE athlete_id = \(ann) AND kind = 'streams'"
    ).one(Int64.self)
    _ = try await world.session.query("SELECT strava.write_streams(\(request), settled.clock(), NULL)")
    // Dan withholds the scope and claims a friend's outing, of which the provider shows him nothing.
    try await world.session.execute(
      "UPDATE strava.connection SET missing_scopes = '{activity:read_all}' WHERE athlete_id = \(dan)")
    try await world.post(dan, ClaimDay.outing(1))
    try await world.answer(dan, 1, "hidden")
    #expect(try await world.claims() == ["1 of \(dan) open scope"])
    try await world.dropReads()
    try await world.day.validate()
    try await world.day.finish()
    try await world.day.pass(to: "2031-06-04T03:00:00Z")
    try await world.day.settle()
    #expect(try await world.winner(race) == ann)
    // Nothing keeps him from the friend's account now.
    #expect(try await world.may(dan, have: Self.friends))
    try await world.session.execute("UPDATE strava.connection SET missing_scopes = '{}' WHERE athlete_id = \(dan)")
    try await world.sign(dan, in: Self.friends)
    try await world.answer(dan, 1, "found", ClaimDay.outing(1))
    #expect(try await world.reads(dan) == ["streams 1 1"])
    #expect(try await world.may(dan, have: own))
    try await world.day.pass(to: "2031-06-04T03:02:00Z")
    try await world.sign(dan, in: own)
    let second = try await world.session.query(
      "SELECT id FROM strava.read_request WHERE athlete_id = \(dan) AND kind = 'streams'"
    ).one(Int64.self)
    _ = try await world.session.query("SELECT strava.write_streams(\(second), settled.clock(), NULL)")
    try await world.day.validate()
    try await world.day.settle()
    #expect(try await world.day.course.revisions(race) == 1)
    #expect(try await world.winner(race) == ann)
  }

  @Test func `a listing under another account deletes nothing`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete("Ann")
    let bea = try await world.athlete("Bea")
    let (old, own) = (Self.friends, 7000 + ann)
    // Ann entered a race with her old account once.
    let former = try await world.day.course.race(type: "furthest_distance")
    try await world.sign(ann, in: old)
    _ = try await world.day.course.enter(ann, former)
    try await world.day.cancel(former)
    #expect(try await world.may(ann, have: own))
    try await world.sign(ann, in: own)
    let race = try await world.day.course.race()
    for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for (athlete, id, speed) in [(ann, 1, "6"), (bea, 2, "5")] as [(Int64, Int64, String)] {
      try await world.post(athlete, ClaimDay.outing(id, speed: speed))
      try await world.answer(athlete, id, "found", ClaimDay.outing(id, speed: speed))
    }
    try await world.day.validate()
    try await world.dropReads()
    // The browser had the old account. Nobody keeps its tokens now; an earlier release did.
    #expect(try await !world.may(ann, have: old))
    try await world.sign(ann, in: old)
    try await world.day.pass(to: "2031-06-04T00:10:00Z")
    try await world.dropReads()
    try await world.list(ann, [], class: 0)
    #expect(try await world.reads(ann) == [])
    try await world.answer(ann, 1, "missing")
    try await world.dropReads()
    try await world.day.finish()
    #expect(try await world.winner(race) == ann)
  }

  @Test func `a claim while the athlete connects again is in time`() async throws {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete("Ann"), try await world.athlete("Bea"))
    let race = try await world.day.course.race()
    for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(bea, ClaimDay.outing(2, speed: "5"))
    try await world.answer(bea, 2, "found", ClaimDay.outing(2, speed: "5"))
    try await world.day.validate()
    try await world.day.pass(to: "2031-06-03T23:50:00Z")
    _ = try await world.session.query("SELECT racing.disconnect_strava(\(ann))")
    _ = try await world.session.query("SELECT strava.forget_tokens(\(ann))")
    _ = try await world.session.query(
      "SELECT racing.connect_strava(\(ann), 'c', 'read,activity:read_all,profile:read_all')")
    let proved = try await world.session.query("SELECT racing.is_proved(\(ann))").one(Bool.self)
    #expect(proved)
    try await world.post(ann, ClaimDay.outing(1, speed: "6"))
    try await world.day.finish()
    #expect(try await world.day.course.status(race) == "ended")
    // The provider was away until now.
    try await world.day.pass(to: "2031-06-04T01:10:00Z")
    try await world.sign(ann, in: 7000 + ann)
    try await world.answer(ann, 1, "found", ClaimDay.outing(1, speed: "6"))
    try await world.day.validate()
    try await world.day.settle()
    #expect(try await world.winner(race) == ann)
  }

  @Test func `a friend's account that once entered a race does not win another one`() async throws {
    let world = try await ClaimDay()
    let (ann, dan) = (try await world.athlete("Ann"), try await world.athlete("Dan"))
    let own = 7000 + dan
    let cheap = try await world.day.course.race(
      type: "furthest_distance", from: "2031-06-02T00:00:00Z", to: "2031-06-03T00:00:00Z")
    try await world.sign(dan, in: Self.friends)
    _ = try await world.day.course.enter(dan, cheap)
    try await world.day.pass(to: "2031-06-03T04:00:00Z")
    try await world.day.settle()
    #expect(try await world.day.course.status(cheap) == "settled")
    #expect(try await world.may(dan, have: own))
    try await world.sign(dan, in: own)
    let race = try await world.day.course.race()
    for athlete in [ann, dan] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(2, speed: "5"))
    try await world.answer(ann, 2, "found", ClaimDay.outing(2, speed: "5"))
    // Nobody keeps the friend's tokens until the race is settled; an earlier release did.
    #expect(try await !world.may(dan, have: Self.friends))
    try await world.sign(dan, in: Self.friends)
    try await world.post(dan, ClaimDay.outing(1, speed: "6"))
    try await world.answer(dan, 1, "found", ClaimDay.outing(1, speed: "6"))
    try await world.sign(dan, in: own)
    try await world.day.validate()
    try await world.day.finish()
    #expect(try await world.winner(race) == ann)
  }

  @Test func `an answer to a call from before the sign-in rejects nothing`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete("Ann")
    let race = try await world.day.course.race()
    _ = try await world.day.course.enter(ann, race)
    try await world.session.execute("UPDATE strava.connection SET missing_scopes = '{activity:read_all}'")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.dropReads()
    try await world.post(ann, ClaimDay.outing(1, at: "2031-06-01T10:00:00Z"))
    #expect(try await world.reads(ann) == ["activity 1 1"])
    // The call is on its way, with a token that shows nothing private.
    try await world.day.course.setClock("2031-06-03T12:00:03Z")
    _ = try await world.session.query(
      "SELECT racing.connect_strava(\(ann), 'c', 'read,activity:read_all,profile:read_all')")
    _ = try await world.session.query(
      """
      SELECT strava.write_activity(id, '2031-06-03T12:00:00Z', 'missing', NULL, NULL)
      FROM strava.read_request WHERE athlete_id = \(ann) AND kind = 'activity'
      """)
    #expect(try await world.claims().first?.contains("open") == true)
  }
}
