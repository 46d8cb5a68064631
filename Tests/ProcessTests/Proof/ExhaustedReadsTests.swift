import Postgres
import TestSupport
import Testing

/// Over HTTP against gateway, daemon and provider.
@Suite("Results while the limit of reads is used up", .timeLimit(.minutes(5))) struct ExhaustedReadsTests {
  @Test func `an entrant who has claimed nothing wins, although others have used up the reads of the day`() async throws
  {
    let world = try await ProofWorld()
    try await world.set("strava.read_limit_day", "1")
    try await world.set("racing.provider_hold", "20 hours")
    try await world.provider.configure(ProviderSettings(readLimits: .init(100, 1)))
    let race = try await world.race("furthest_distance")
    let (ann, bea) = (try await world.racer("Ann", account: 7001), try await world.racer("Bea", account: 7002))
    let eve = try await world.racer("Eve", account: 7003)
    try await world.plant(7001, ProofOuting(id: 501, distance: 3000))
    try await world.plant(7002, ProofOuting(id: 502, distance: 9000))
    try await world.plant(7003, ProofOuting(id: 503))
    for person in [ann, bea] { #expect(try await world.enter(person, race) == "201") }
    #expect(try await world.post(ann, ProofOuting(id: 501, distance: 3000)) == "201 pending")
    try await world.until(ann, lists: ["501 verified"])
    // The one read of the next day is Eve's.
    try await world.advance(22 * 3600)
    #expect(try await world.post(eve, ProofOuting(id: 503)) == "201 pending")
    try await world.until(eve, lists: ["503 verified"])
    try await world.advance(3600)
    func reached(_ what: String, _ condition: String) async throws {
      try await untilTrue(what, within: .seconds(30)) {
        try await world.owner.query("SELECT \(raw: condition)").one(Bool.self)
      }
    }
    try await reached("the end of the race", "(SELECT status = 'ended' FROM racing.race)")
    try await world.advance(56 * 60)
    try await reached(
      "listings behind the due instant",
      "(SELECT count(*) = 2 FROM strava.read_request AS q, racing.race AS r WHERE q.until_at > r.due_at)")
    try await world.advance(300)
    try await reached("the wait", "racing.race(\(race)) -> 'waitingFor' ->> 'reason' = 'provider'")
    try await untilTrue("the problem", within: .seconds(30)) {
      try await world.settlectl("status").contains("races wait for the listings of 2 entrants")
    }
    // The limits of the next day are wide.
    try await world.provider.configure(ProviderSettings(readLimits: .init(100, 1000)))
    try await world.set("strava.read_limit_day", "1000")
    try await world.advance(12 * 3600)
    try await world.until(bea, lists: ["502 verified"])
    try await world.untilSettled(race)
    #expect(try await world.balance(bea) > 10_000)
    #expect(try await world.balance(ann) < 10_000)
    #expect(try await world.stop())
  }

  @Test func `the eleventh code of a day of one athlete is refused`() async throws {
    let world = try await ProofWorld()
    let eve = try await world.person("Eve")
    for _ in 1...10 { try await world.connect(eve, code: "garbage") }
    let body = #"{"code": "garbage", "scope": "read"}"#
    let refused = try await world.ask("PUT", "/users/\(eve.athlete)/strava", eve, body: body)
    #expect(refused.status == 429 && refused.body.contains("quota"), "\(refused)")
    #expect(try await world.stop())
  }
}
