import Postgres
import TestSupport
import Testing

/// Webhooks with the real gateway and daemon, and a provider that calls back over HTTP.
@Suite("Webhooks of the provider", .timeLimit(.minutes(5))) struct WebhookAttackTests {
  @Test func `a subscription is validated by the provider, shown, and ended; its secrets are kept nowhere`()
    async throws
  {
    let world = try await WebhookWorld()
    #expect(try await world.subscription() == "none")
    let done = try await world.subscribe()
    #expect(done.exit == .code(0) && done.output.contains("subscription 120475 to \(world.callback)"), "\(done)")
    #expect(try await world.subscription() == "active 120475")
    let theirs = try #require(try await world.proof.provider.subscription())
    #expect(theirs.id == 120_475 && theirs.callbackUrl.hasPrefix(world.callback + "/strava/webhook/"))
    // Again: nothing changes.
    let again = try await world.subscribe()
    #expect(again.exit == .code(0) && again.output == done.output)
    #expect(try await world.proof.provider.subscription() == theirs)
    let other = try await world.proof.operate("strava", "subscribe", "--callback", "https://settled.example")
    #expect(other.exit == .code(1) && other.errors.contains("unsubscribe first"), "\(other)")
    // Neither the rows of the database nor the logs have the path or the token.
    let path = try #require(theirs.callbackUrl.split(separator: "/").last)
    let dump = try await world.proof.owner.query(
      """
      SELECT string_agg(x::text, ' ') FROM (SELECT to_jsonb(r) FROM settled.request AS r
        UNION ALL SELECT to_jsonb(a) FROM settled.audit AS a UNION ALL SELECT to_jsonb(s) FROM strava.subscription AS s) AS x
      """
    ).one(String.self)
    #expect(dump.contains("strava.subscribe"))
    for secret in [String(path), theirs.verifyToken] {
      #expect(!dump.contains(secret) && !world.logs.contains(secret))
    }
    let ended = try await world.proof.operate("strava", "unsubscribe")
    #expect(ended.exit == .code(0) && ended.output.contains("not subscribed"), "\(ended)")
    #expect(try await world.proof.provider.subscription() == nil)
    #expect(try await world.subscription() == "none")
    #expect(try await world.client.call("/strava/webhook/\(path)", body: "{}").status == 404)
    #expect(try await world.proof.operate("strava", "unsubscribe").exit == .code(1))
    #expect(try await world.stop())
  }

  @Test func `a callback that the provider cannot validate is refused, and nothing is kept`() async throws {
    let world = try await WebhookWorld()
    let wrong = try await world.proof.operate("strava", "subscribe", "--callback", world.proof.provider.url)
    #expect(wrong.exit == .code(1) && wrong.errors.contains("could not validate"), "\(wrong)")
    #expect(try await world.subscription() == "none")
    let clear = try await world.proof.operate("strava", "subscribe", "--callback", "http://settled.example")
    #expect(clear.exit == .code(64), "\(clear)")
    // A copy of the database does not touch the original's subscription.
    try await world.proof.owner.execute("UPDATE settled.installation SET home = 'elsewhere'")
    let copy = try await world.subscribe()
    #expect(copy.exit == .code(75) && copy.errors.contains("copied or restored"), "\(copy)")
    #expect(try await world.proof.operate("strava", "unsubscribe", "--id", "120475").exit == .code(75))
    #expect(try await world.proof.provider.subscription() == nil)
    #expect(try await world.stop())
  }

  @Test func `a subscription whose answer is lost is replaced, and one of another installation is named`() async throws
  {
    let world = try await WebhookWorld()
    _ = try await world.connected("Ann", as: 7001)
    try await world.proof.provider.configure(ProviderSettings(faults: [.resetAfter: 1]))
    let lost = try await world.subscribe()
    #expect(lost.exit == .code(75), "\(lost)")
    try await world.proof.provider.configure(ProviderSettings(faults: [:]))
    #expect(try await world.subscription() == "asked")
    let first = try #require(try await world.proof.provider.subscription())
    // Its number is not known, so its hints are forgotten.
    #expect(try await world.withdrawal(of: 7001) == 200)
    #expect(try await world.number("SELECT count(*) FROM strava.hint") == 0)
    let second = try await world.subscribe()
    #expect(second.exit == .code(0), "\(second)")
    #expect(try await world.subscription() == "active 120476")
    #expect(try await world.proof.provider.subscription()?.callbackUrl != first.callbackUrl)
    // A restored database does not know it.
    try await world.proof.owner.execute("DELETE FROM strava.subscription")
    let foreign = try await world.subscribe()
    #expect(foreign.exit == .code(1) && foreign.errors.contains("unsubscribe --id 120476"), "\(foreign)")
    #expect(try await world.proof.operate("strava", "unsubscribe", "--id", "120476").exit == .code(0))
    #expect(try await world.subscribe().exit == .code(0))
    #expect(try await world.subscription() == "active 120477")
    #expect(try await world.stop())
  }

  @Test func `a withdrawn grant is revoked after its hint, and a forged hint revokes nobody`() async throws {
    let world = try await WebhookWorld()
    let (ann, bea) = (try await world.connected("Ann", as: 7001), try await world.connected("Bea", as: 7002))
    #expect(try await world.subscribe().exit == .code(0))
    let theirs = try #require(try await world.proof.provider.subscription())
    try await world.proof.provider.forget(7001)
    #expect(try await world.withdrawal(of: 7001) == 200)
    // Whoever knows the path, and even the number of the subscription, tries the same with Bea.
    let path = try #require(theirs.callbackUrl.split(separator: "/").last)
    let forged = """
      {"object_type": "athlete", "object_id": 7002, "aspect_type": "update", "owner_id": 7002, "event_time": 1930478400,
       "subscription_id": \(theirs.id), "updates": {"authorized": "false"}}
      """
    for guess in ["guess", String(path.dropLast()) + "_", "\(theirs.id)"] {
      #expect(try await world.client.call("/strava/webhook/\(guess)", body: forged).status == 404)
    }
    #expect(try await world.number("SELECT count(*) FROM strava.hint") == 1)
    #expect(try await world.client.call("/strava/webhook/\(path)", body: forged).status == 200)
    try await world.proof.advance(15 * 60)
    try await world.proof.until(ann, is: "revoked")
    try await untilTrue("the refresh of Bea's token") {
      try await world.number("SELECT count(doubted_generation) FROM strava.connection") == 0
    }
    try await world.proof.until(bea, is: "active")
    #expect(try await world.number("SELECT count(*) FROM strava.secret WHERE athlete_id = \(ann.athlete)") == 0)
    #expect(try await world.proof.enter(ann, try await world.proof.race()) == "403 not-connected")
    #expect(try await world.stop())
  }

  @Test func `a database that answers nobody is 503, and the provider's next try is taken`() async throws {
    let world = try await WebhookWorld()
    _ = try await world.connected("Ann", as: 7001)
    #expect(try await world.subscribe().exit == .code(0))
    let blocker = try await world.proof.database.connect()
    try await blocker.transaction { transaction in
      try await transaction.execute("LOCK TABLE strava.connection IN ACCESS EXCLUSIVE MODE")
      #expect(try await world.withdrawal(of: 7001) == 503)
    }
    try await untilTrue("the hint that came again") { try await world.withdrawal(of: 7001) == 200 }
    #expect(try await world.number("SELECT count(*) FROM strava.hint") == 1)
    #expect(try await world.stop())
  }
}
