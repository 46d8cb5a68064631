import DaemonSupport
import Postgres
import TestSupport
import Testing

/// What operators learn about `racing.proof`.
@Suite("The watch of racing.proof", .timeLimit(.minutes(2))) struct ProofWatchTests {
  private static let off =
    "racing.proof is off: people without a provider account can enter races and win money"
  private static let nobody = "racing.proof is on, but no node has a provider: new athletes cannot enter races"

  private func problem(_ owner: Connection) async throws -> String? {
    try await owner.query("SELECT max(problem) FROM settled.problem WHERE name = 'racing proof'").one(String?.self)
  }

  @Test func `a real database reports that proof is off, or that no node has a provider, as soon as it is so`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let node = TestNode(database)
    try await node.untilAsleep()
    // Nobody races here yet: only doctor looks ahead.
    #expect(try await problem(owner) == nil)
    #expect(try await node.doctor("racing proof").finding == Self.nobody)
    _ = try await owner.query("SELECT racing.create_athlete('Ann')")
    try await owner.execute("SELECT settled.set('racing.proof', 'off')")
    try await untilTrue("the problem") { try await problem(owner) == Self.off }
    #expect(try await node.doctor("racing proof").finding == Self.off)
    try await owner.execute("SELECT settled.set('racing.proof', 'on')")
    try await untilTrue("the other problem") { try await problem(owner) == Self.nobody }
    try await owner.execute(
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state, has_provider)
      VALUES ('other', '1', clock_timestamp(), clock_timestamp(), 'ready', true)
      """)
    try await owner.execute("SELECT settled.notify('')")
    try await untilTrue("no problem") { try await problem(owner) == nil }
    let check = try await node.doctor("racing proof")
    #expect(check.ok && check.finding == "racing.proof is on")
    // It may be on its way back for three minutes.
    try await owner.execute("UPDATE settled.node SET state = 'stopped' WHERE node = 'other'")
    #expect(try await node.doctor("racing proof").ok)
    try await owner.execute(
      "UPDATE settled.node SET last_seen_at = last_seen_at - interval '4 minutes' WHERE node = 'other'")
    #expect(try await node.doctor("racing proof").finding == Self.nobody)
    try await node.stop()
  }

  @Test func `a database with a simulated clock is without proof unless somebody asks for it`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    _ = try await owner.query("SELECT racing.create_athlete('Ann')")
    func problem() async throws -> String? {
      try await owner.query("SELECT racing.proof_problem()").one(String?.self)
    }
    #expect(try await owner.query("SELECT settled.setting('racing.proof')").one(String.self) == "off")
    #expect(try await problem() == nil)
    try await owner.execute("SELECT settled.set('racing.proof', 'on')")
    #expect(try await problem() == Self.nobody)
  }
}
