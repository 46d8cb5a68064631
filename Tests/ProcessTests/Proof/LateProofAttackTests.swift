import Postgres
import TestSupport
import Testing

/// Attacks by people with several accounts, over HTTP against gateway, daemon and provider.
@Suite("What somebody proves when it pays", .timeLimit(.minutes(5))) struct LateProofAttackTests {
  @Test func `a second account that signs in after the first has been paid wins nothing`() async throws {
    let world = try await ProofWorld()
    let race = try await world.race()
    let (ann, eve) = (try await world.racer("Ann", account: 7001), try await world.racer("Eve", account: 7002))
    try await world.plant(7001, ProofOuting(id: 501))
    try await world.plant(7002, ProofOuting(id: 502, maxSpeed: 9))
    for person in [ann, eve] { #expect(try await world.enter(person, race) == "201") }
    #expect(try await world.post(ann, ProofOuting(id: 501)) == "201 pending")
    try await world.until(ann, lists: ["501 verified"])
    // A code that the provider refuses keeps the better one unproved.
    try await world.advance(61)
    try await world.connect(eve, code: "garbage")
    #expect(try await world.post(eve, ProofOuting(id: 502, maxSpeed: 9)) == "201 pending")
    for hours in [23, 1, 2] as [Int64] { try await world.advance(hours * 3600) }
    try await world.untilSettled(race)
    try await world.advance(72 * 3600)
    let paid = try await world.balance(ann)
    #expect(paid > 10_000)
    try await world.connect(eve, code: try await world.provider.authorize(7002))
    try await world.until(eve, lists: ["502 verified"])
    let revisions = try await world.owner.query("SELECT count(*) FROM racing.settlement").one(Int64.self)
    let isMarked = try await world.owner.query("SELECT bool_or(correction_due_at IS NOT NULL) FROM racing.race").one(
      Bool.self)
    #expect(revisions == 1 && !isMarked)
    #expect(try await world.balance(eve) == 9_900)
    #expect(try await world.balance(ann) == paid)
    #expect(try await world.stop())
  }

  @Test func `an outing of a friend's account wins nothing for whoever signs in with their own before entering`()
    async throws
  {
    let world = try await ProofWorld()
    let race = try await world.race()
    let (dan, eva) = (try await world.racer("Dan", account: 7001), try await world.person("Eva"))
    try await world.plant(7001, ProofOuting(id: 501))
    #expect(try await world.post(dan, ProofOuting(id: 501)) == "201 pending")
    try await world.until(dan, lists: ["501 verified"])
    try await world.advance(61)
    try await world.connect(dan, code: try await world.provider.authorize(7002))
    try await untilTrue("Dan has another account") {
      try await world.owner.query("SELECT EXISTS (SELECT FROM strava.connection WHERE provider_athlete_id = 7002)").one(
        Bool.self)
    }
    #expect(try await world.enter(dan, race) == "201")
    try await world.connect(eva, code: try await world.provider.authorize(7001))
    try await world.until(eva, is: "active")
    #expect(try await world.enter(eva, race) == "201")
    #expect(try await world.post(eva, ProofOuting(id: 501)) == "201 pending")
    try await world.until(eva, lists: ["501 verified"])
    try await world.until(dan, lists: ["501 rejected provider"])
    for hours in [23, 1] as [Int64] { try await world.advance(hours * 3600) }
    try await world.untilSettled(race)
    #expect(try await world.balance(eva) > 10_000)
    #expect(try await world.balance(dan) == 9_900)
    #expect(try await world.stop())
  }
}
