import Postgres
import TestSupport
import TextCoding
import Testing

/// Attacks on the rule that the provider's word counts, over HTTP against gateway, daemon and provider.
@Suite("What somebody claims to have done", .timeLimit(.minutes(5))) struct ClaimAttackTests {
  /// A free account of the provider, a profile and two entries, and an outing of 99,999 km that never was.
  @Test(arguments: ["off", "on"])
  func `an outing that never was wins money only where proof is off`(proof: String) async throws {
    let world = try await ProofWorld()
    try await world.set("racing.proof", proof)
    let races = [try await world.race(), try await world.race("furthest_distance")]
    let (ann, eve) = (try await world.racer("Ann", account: 7001), try await world.racer("Eve", account: 7002))
    try await world.plant(7001, ProofOuting(id: 501))
    for race in races {
      for person in [ann, eve] { #expect(try await world.enter(person, race) == "201") }
    }
    #expect(try await world.post(ann, ProofOuting(id: 501)) == "201 pending")
    // Off, the bounds of what is plausible are the only ones.
    let never = ProofOuting(id: 999, distance: proof == "on" ? 99_999_999 : 299_000, maxSpeed: 11.9)
    #expect(try await world.post(eve, never) == "201 pending")
    try await world.until(ann, lists: ["501 verified"])
    try await world.until(eve, lists: proof == "on" ? ["999 rejected provider"] : ["999 verified"])
    #expect(try await world.publicCount() == (proof == "on" ? 1 : 2))
    // To the end of the races, and to their results.
    try await world.advance(23 * 3600)
    try await world.advance(3600)
    for race in races { try await world.untilSettled(race) }
    let winner = proof == "on" ? ann : eve
    #expect(try await world.balance(winner) > 10_050)
    if proof == "on" { #expect(try await world.balance(eve) == 9_800) }
    // Prizes rest for three days.
    let body = #"{"amount": 100.5}"#
    let early = try await world.ask("POST", "/wallets/\(winner.athlete)/withdraw", winner, key: "w", body: body)
    #expect(early.status == 402, "\(early)")
    try await world.advance(72 * 3600)
    let late = try await world.ask("POST", "/wallets/\(winner.athlete)/withdraw", winner, key: "x", body: body)
    #expect((200...202).contains(late.status), "\(late)")
    #expect(try await world.stop())
  }

  @Test func `nobody takes another's id by posting it first, before or after proof is switched on`() async throws {
    let world = try await ProofWorld()
    let race = try await world.race()
    let (ann, eve) = (try await world.racer("Ann", account: 7001), try await world.racer("Eve", account: 7002))
    try await world.plant(7001, ProofOuting(id: 501), ProofOuting(id: 502), ProofOuting(id: 503, isPrivate: true))
    #expect(try await world.enter(ann, race) == "201")
    #expect(try await world.enter(eve, race) == "201")
    // The hole: with proof off an id is whose post came first.
    try await world.set("racing.proof", "off")
    let squat = ProofOuting(id: 501, distance: 1, type: "Run")
    #expect(try await world.post(eve, squat) == "201 pending")
    #expect(try await world.post(ann, ProofOuting(id: 501)) == "409 strava-id")
    try await world.set("racing.proof", "on")
    for id in [502, 503] as [Int64] {
      #expect(try await world.post(eve, ProofOuting(id: id, distance: 1, type: "Run")) == "201 pending")
    }
    try await world.claim(ann, ProofOuting(id: 501), ProofOuting(id: 502), ProofOuting(id: 503))
    try await world.until(ann, lists: ["503 verified", "502 verified", "501 verified"])
    // 501 is a run of Eve's, which her list leaves out.
    try await world.until(eve, lists: ["503 rejected provider", "502 rejected provider"])
    let lost = try await world.owner.query(
      "SELECT concat_ws(' ', status, reasons[1], strava_id, displaced_strava_id) FROM racing.activity WHERE athlete_id = \(eve.athlete)"
    )
    #expect(try lost.one(String.self) == "rejected provider 501")
    // Private ones are in nobody else's list.
    #expect(try await world.publicCount() == 2)
    #expect(try await world.post(eve, squat) == "201 pending")
    try await world.until(eve, lists: ["501 rejected provider", "503 rejected provider", "502 rejected provider"])
    #expect(try await world.stop())
  }

  @Test func `an id that is nobody's, or was deleted, is rejected, and each post of it is one read`() async throws {
    let world = try await ProofWorld()
    let eve = try await world.racer("Eve", account: 7002)
    try await world.plant(7002, ProofOuting(id: 601))
    try await world.provider.delete(7002, [601])
    for id in [601, 602] as [Int64] { #expect(try await world.post(eve, ProofOuting(id: id)) == "201 pending") }
    try await world.until(eve, lists: ["602 rejected provider", "601 rejected provider"])
    #expect(try await world.reads(of: 601).count == 1)
    #expect(try await world.post(eve, ProofOuting(id: 601)) == "201 pending")
    try await world.until(eve, lists: ["602 rejected provider", "601 rejected provider"])
    #expect(try await world.reads(of: 601).count == 2)
    #expect(try await world.stop())
  }

  @Test func `a private outing waits for the scope that shows it, and counts once the athlete grants it`() async throws
  {
    let world = try await ProofWorld()
    let race = try await world.race()
    let ann = try await world.racer("Ann", account: 7001, scope: "read")
    try await world.plant(7001, ProofOuting(id: 701, isPrivate: true))
    #expect(try await world.enter(ann, race) == "201")
    #expect(try await world.post(ann, ProofOuting(id: 701)) == "201 pending")
    try await world.until(ann, lists: ["701 pending scope"])
    try await world.advance(61)
    try await world.connect(ann, code: try await world.provider.authorize(7001))
    try await world.until(ann, lists: ["701 verified"])
    #expect(try await world.publicCount() == 0)
    #expect(try await world.stop())
  }

  @Test func `claims that wait for an absent provider end with the switch, and with the connection`() async throws {
    let world = try await ProofWorld()
    let race = try await world.race()
    let (ann, bea) = (try await world.racer("Ann", account: 7001), try await world.racer("Bea", account: 7002))
    for (account, id) in [(7001, 801), (7002, 802)] as [(Int64, Int64)] {
      try await world.plant(account, ProofOuting(id: id))
    }
    for person in [ann, bea] { #expect(try await world.enter(person, race) == "201") }
    try await world.provider.configure(ProviderSettings(away: true))
    #expect(try await world.post(ann, ProofOuting(id: 801)) == "201 pending")
    #expect(try await world.post(bea, ProofOuting(id: 802)) == "201 pending")
    #expect(try await world.list(ann) == ["801 pending"])
    try await world.disconnect(ann)
    #expect(try await world.list(ann) == ["801 rejected provider"])
    #expect(try await world.post(ann, ProofOuting(id: 801)) == "403 not-connected")
    #expect(try await world.list(bea) == ["802 pending"])
    try await world.set("racing.proof", "off")
    #expect(try await world.list(bea) == ["802 rejected provider"])
    #expect(try await world.owner.query("SELECT count(*) FROM racing.activity").one(Int64.self) == 0)
    // Back and on again: the next claim is proved.
    try await world.set("racing.proof", "on")
    try await world.provider.configure(ProviderSettings(away: false))
    #expect(try await world.post(bea, ProofOuting(id: 802)) == "201 pending")
    try await world.until(bea, lists: ["802 verified"])
    #expect(try await world.stop())
  }

  @Test func `somebody who was erased and comes back with their account claims what no race of theirs held`()
    async throws
  {
    let world = try await ProofWorld()
    let race = try await world.race()
    let ann = try await world.racer("Ann", account: 7001)
    // One within the window of the race, which begins an hour before noon, and one before it.
    let (raced, other) = (ProofOuting(id: 901), ProofOuting(id: 902, at: "10:00"))
    try await world.plant(7001, raced, other)
    #expect(try await world.enter(ann, race) == "201")
    try await world.claim(ann, raced, other)
    try await world.until(ann, lists: ["902 verified", "901 verified"])
    try await world.advance(23 * 3600)
    try await world.advance(3600)
    try await world.untilSettled(race)
    try await world.set("racing.prize_rest", "0 seconds")
    let withdrawal = try await world.owner.query(
      "SELECT (racing.withdraw(\(ann.athlete), \(try await world.balance(ann)), 'w') ->> 'id')::bigint"
    ).one(Int64.self)
    _ = try await world.owner.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    let erased = try await world.settlectl("person", "erase", "athlete", "\(ann.athlete)", "--reason", "asked for it")
    #expect(erased.contains("kept"), "\(erased)")
    let again = try await world.racer("Ann again", account: 7001)
    try await world.claim(again, raced, other)
    try await world.until(again, lists: ["902 verified", "901 rejected provider"])
    let disputed = try await world.owner.query(
      "SELECT count(*) FROM (SELECT topic FROM settled.event UNION ALL SELECT topic FROM settled.event_pending) AS e WHERE topic = 'activity.disputed'"
    )
    #expect(try disputed.one(Int64.self) == 1)
    #expect(try await world.stop())
  }

  @Test func `claims beyond the day's quota are refused, and their bodies are small`() async throws {
    let world = try await ProofWorld()
    try await world.set("racing.imports_a_day", "3")
    let eve = try await world.racer("Eve", account: 7002)
    for id in 1...3 as ClosedRange<Int64> { #expect(try await world.post(eve, ProofOuting(id: id)) == "201 pending") }
    #expect(try await world.post(eve, ProofOuting(id: 4)) == "429 quota")
    try await world.until(eve, lists: ["3 rejected provider", "2 rejected provider", "1 rejected provider"])
    #expect(try await world.post(eve, ProofOuting(id: 1)) == "429 quota")
    let large = ProofOuting(id: 5).posted.replacing(#""mock""#, with: "\"\(String(repeating: "x", count: 65_536))\"")
    let refused = try await world.ask("POST", "/activities", eve, body: large)
    #expect(refused.status == 400 && refused.body.contains("at most 65536 bytes"), "\(refused)")
    #expect(try await world.stop())
  }

  @Test func `streams are read where a kilometre is raced, and an outing that nobody claims is found at the end`()
    async throws
  {
    let world = try await ProofWorld()
    let race = try await world.race("fastest_1km")
    let (ann, bea) = (try await world.racer("Ann", account: 7001), try await world.racer("Bea", account: 7002))
    let streams = #"{"time": {"data": [0, 200, 1200]}, "distance": {"data": [0, 1000, 6000]}}"#
    try await world.plant(7001, ProofOuting(id: 101), streams: "{\"101\": \(streams)}")
    try await world.plant(7002, ProofOuting(id: 102), ProofOuting(id: 103, at: "13:00"))
    // Bea's first one comes before her entry: nothing needs its streams then.
    #expect(try await world.post(bea, ProofOuting(id: 102)) == "201 pending")
    try await world.until(bea, lists: ["102 verified"])
    #expect(try await world.reads(of: 102) == ["/api/v3/activities/102"])
    for person in [ann, bea] { #expect(try await world.enter(person, race) == "201") }
    #expect(try await world.post(ann, ProofOuting(id: 101)) == "201 pending")
    try await world.until(ann, lists: ["101 verified"])
    #expect(try await world.reads(of: 101) == ["/api/v3/activities/101/streams"])
    let score = try await world.owner.query("SELECT fastest_1km_ms FROM racing.activity WHERE strava_id = 101")
    #expect(try score.one(Int64.self) == 200_000)
    try await untilTrue("streams after the entry") { try await world.reads(of: 102).count == 2 }
    // strava.import is off: where proof is on, entrants are listed all the same.
    try await world.advance(23 * 3600)
    try await world.until(bea, lists: ["103 verified", "102 verified"])
    #expect(try await world.stop())
  }
}
