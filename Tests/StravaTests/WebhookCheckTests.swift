import DaemonSupport
import Postgres
import TestSupport
import Testing

/// Source: Strava.docc/Webhooks.md, "A withdrawn grant".
@Suite("The check of webhooks", .timeLimit(.minutes(2))) struct WebhookCheckTests {
  @Test func `doctor warns where athletes are connected and nobody would notice a withdrawn grant`() async throws {
    let world = try await World(isReal: true)
    let node = try world.node()
    try await node.untilAsleep()
    func check() async throws -> Finding { try await node.doctor("webhooks") }
    #expect(try await check().ok, "nobody is connected")
    try await world.owner.script(
      """
      INSERT INTO strava.connection (athlete_id, status, reason, missing_scopes, changed_at)
      SELECT racing.create_athlete('Ann'), s.status, s.reason, '{}', clock_timestamp()
      FROM (VALUES ('active', NULL), ('needs_reauth', 'grant'), ('needs_reauth', 'lost-reply'), ('revoked', NULL))
        AS s (status, reason)
      """)
    let warning = try await check()
    #expect(!warning.ok)
    #expect(
      warning.finding
        == "3 athletes are connected, but there is no webhook subscription: a withdrawn grant goes unnoticed; "
        + "1 token is refused")
    try await world.owner.execute("SELECT settled.set('racing.proof', 'off')")
    #expect(try await check().ok, "hints are not followed")
    try await world.owner.script(
      """
      SELECT settled.set('racing.proof', 'on');
      SELECT strava.begin_subscription('https://x', sha256('p'), sha256('v'));
      SELECT strava.confirm_subscription(sha256('p'), 9);
      """)
    #expect(try await check().ok)
    try await node.stop()
  }

  @Test func `a database with a simulated clock needs no subscription`() async throws {
    let world = try await World()
    try await world.owner.script(
      """
      SELECT settled.set('racing.proof', 'on');
      INSERT INTO strava.connection (athlete_id, status, missing_scopes, changed_at)
      SELECT racing.create_athlete('Ann'), 'active', '{}', settled.clock()
      """)
    let node = try world.node()
    try await node.untilAsleep()
    #expect(try await node.doctor("webhooks").ok)
    try await node.stop()
  }
}
