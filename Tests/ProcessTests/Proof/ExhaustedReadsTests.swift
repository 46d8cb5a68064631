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
    // Only a read that was refused for lack of budget makes the race wait.
    try await reached(
      "a refused read",
      """
      coalesce((SELECT max(w.short_at) FROM settled.call_window AS w WHERE w.budget = 'strava-reads')
        >= (SELECT max(q.asked_at) FROM strava.read_request AS q WHERE q.class = 0), false)
      """
    )
    try await world.advance(56 * 60)
    try await reached(
      "listings behind the due instant",
      "(SELECT count(*) = 2 FROM strava.read_request AS q, racing.race AS r WHERE q.until_at > r.due_at)")
    try await world.advance(300)
    try await reached("the wait", "coalesce(racing.race(\(race)) -> 'waitingFor' ->> 'reason' = 'provider', false)")
    try await untilTrue("the problem", within: .seconds(30)) {
      try await world.settlectl("status").contains("races are waiting for the activities of 2 entrants to be listed")
    }
    // The limits of the next day are wide.
    try await world.provider.configure(ProviderSettings(readLimits: .init(100, 1000)))
    try await world.set("strava.read_limit_day", "1000")
    try await world.advance(12 * 3600)
    let review = "SELECT a.id FROM racing.activity AS a WHERE a.strava_id = 502 AND a.status = 'under_review'"
    try await untilTrue("the review of what only a late listing shows", within: .seconds(30)) {
      try await world.owner.query("SELECT EXISTS (\(raw: review))").one(Bool.self)
    }
    let id = try await world.owner.query("\(raw: review)").one(Int64.self)
    _ = try await world.settlectl("review", "approve", "\(id)", "--reason", "seen on the water")
    try await world.untilSettled(race)
    #expect(try await world.balance(bea) > 10_000)
    #expect(try await world.balance(ann) < 10_000)
    #expect(try await world.stop())
  }
}
