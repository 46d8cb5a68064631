import Postgres
import TestSupport
import TextCoding
import Testing

/// Attacks on the rule that an entrant is somebody at the provider, over HTTP.
@Suite("Who enters a race", .timeLimit(.minutes(5))) struct WhoEntersTests {
  @Test func `a garbage code enters no race, neither while it waits nor once it is refused`() async throws {
    let world = try await ProofWorld()
    let race = try await world.race()
    let stranger = try await world.person("Stranger")
    #expect(try await world.enter(stranger, race) == "403 not-connected")
    try await world.connect(stranger, code: "ac_garbage")
    #expect(try await world.enter(stranger, race) == "403 not-proved retry")
    try await untilTrue("the first refusal") { try await world.provider.report().refusedGrants == 1 }
    #expect(try await world.enter(stranger, race) == "403 not-proved retry")
    try await world.advance(10)
    try await world.until(stranger, is: "needs_reauth code")
    #expect(try await world.enter(stranger, race) == "403 not-proved")
    #expect(try await world.owner.query("SELECT count(*) FROM racing.entry").one(Int64.self) == 0)
    // The same person with an account of the provider.
    try await world.advance(60)
    try await world.connect(stranger, code: try await world.provider.authorize(7001))
    try await world.until(stranger, is: "active")
    #expect(try await world.enter(stranger, race) == "201")
    #expect(try await world.stop())
  }

  @Test func `one account at the provider enters one athlete, in spite of all that its person does`() async throws {
    let world = try await ProofWorld()
    let (race, next) = (try await world.race(), try await world.race("furthest_distance"))
    let (ann, bea) = (try await world.person("Ann"), try await world.person("Bea"))
    try await world.connect(ann, code: try await world.provider.authorize(7001))
    try await world.until(ann, is: "active")
    #expect(try await world.enter(ann, race) == "201")
    // A second athlete with the account.
    try await world.connect(bea, code: try await world.provider.authorize(7001))
    try await world.until(bea, is: "needs_reauth taken")
    #expect(try await world.enter(bea, race) == "403 not-proved")
    // The first one leaves, and nothing of the connection is kept.
    try await world.disconnect(ann)
    try await untilTrue("nothing kept") {
      try await world.owner.query("SELECT count(provider_athlete_id) FROM strava.connection").one(Int64.self) == 0
    }
    try await world.advance(61)
    try await world.connect(bea, code: try await world.provider.authorize(7001))
    try await world.until(bea, is: "needs_reauth taken")
    #expect(try await world.enter(bea, race) == "403 not-proved")
    #expect(try await world.enter(ann, next) == "403 not-connected")
    // Its athlete comes back.
    try await world.connect(ann, code: try await world.provider.authorize(7001))
    try await world.until(ann, is: "active")
    #expect(try await world.enter(ann, next) == "201")
    // A copy of the database knows it, too.
    _ = try await world.owner.query("SELECT strava.fork()")
    try await world.disconnect(ann)
    try await world.advance(61)
    try await world.connect(bea, code: try await world.provider.authorize(7001))
    try await world.until(bea, is: "needs_reauth taken")
    #expect(try await world.stop())
  }

  @Test func `an account is free again once its athlete was erased`() async throws {
    let world = try await ProofWorld()
    let race = try await world.race()
    let (ann, bea) = (try await world.person("Ann"), try await world.person("Bea"))
    try await world.connect(ann, code: try await world.provider.authorize(7001))
    try await world.until(ann, is: "active")
    #expect(try await world.enter(ann, race) == "201")
    let cancelled = try await world.settlectl("race", "cancel", "\(race)", "--reason", "nobody came")
    #expect(cancelled.contains("cancelled"), "\(cancelled)")
    let withdrawal = try await world.owner.query(
      "SELECT (racing.withdraw(\(ann.athlete), 10000, 'w') ->> 'id')::bigint"
    ).one(Int64.self)
    _ = try await world.owner.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    let erased = try await world.settlectl("person", "erase", "athlete", "\(ann.athlete)", "--reason", "asked for it")
    #expect(erased.contains("kept"), "\(erased)")
    try await world.connect(bea, code: try await world.provider.authorize(7001))
    try await world.until(bea, is: "active")
    #expect(try await world.enter(bea, try await world.race("furthest_distance")) == "201")
    #expect(try await world.stop())
  }

  @Test func `an entrant who has told nobody their gender gets the provider's`() async throws {
    let world = try await ProofWorld()
    let race = try await world.race()
    let ann = try await world.person("Ann", gender: nil)
    try await world.connect(ann, code: try await world.provider.authorize(7001, sex: "F"))
    try await world.until(ann, is: "active")
    #expect(try await world.enter(ann, race) == "201")
    #expect(try await world.owner.query("SELECT gender FROM racing.athlete").one(String.self) == "female")
    #expect(try await world.stop())
  }

  @Test func `operators see which node has a provider, and that nobody can enter where none has`() async throws {
    let world = try await ProofWorld()
    _ = try await world.person("Ann")
    let nodes = try JSONValue(try await world.settlectl("nodes")).elements
    #expect(nodes.map { $0["hasProvider"] == true } == [true])
    #expect(try await !world.settlectl("status").contains("racing.proof"))
    let warning = "racing.proof is on, but no node has a provider"
    try await world.owner.execute("UPDATE settled.node SET has_provider = false")
    try await world.owner.execute("SELECT settled.notify('')")
    try await untilTrue("the problem") { try await world.settlectl("status").contains(warning) }
    #expect(try await world.settlectl("doctor").contains(warning))
    // Of a former release's node it is not known.
    try await world.owner.execute("UPDATE settled.node SET has_provider = NULL")
    try await world.owner.execute("SELECT settled.notify('')")
    try await untilTrue("no problem") { try await !world.settlectl("status").contains(warning) }
    #expect(try await world.stop())
  }
}
