import DaemonSupport
import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Strava

/// Files that a process before has left, and whose they are by now.
@Suite("The spool", .timeLimit(.minutes(2))) struct SpoolTests {
  private func sealer(_ key: String) -> Sealer {
    Sealer(
      ProviderOptions(
        oauthBase: "", apiBase: "", clientID: "", clientSecret: "", proxy: nil, key: key, oldKeys: [],
        stateDirectory: ""))
  }

  /// The reply to an athlete's first code, of which nothing else is known.
  private func reply(_ athlete: Int64, account: Int64, _ sealer: Sealer, lease: Int64 = 1) throws -> SpooledTokens {
    let now = Timestamp(microseconds: World.start * 1_000_000)
    let input = TokenRefreshJob.Input(
      athlete: athlete, purpose: .exchange, generation: 0, attempt: 1, secret: "ac_x",
      sealingKey: try #require(sealer.primary).id, at: now)
    let pair = TokenPair(accessToken: "at_old", refreshToken: "rt_old", expiresAt: now, athleteID: account)
    return SpooledTokens(pair, for: input, under: lease)
  }

  private func keep(_ tokens: SpooledTokens, _ sealer: Sealer, isLate: Bool, _ world: World) async throws {
    let daemon = try await world.database.connect(.daemon)
    try await daemon.transaction { try await tokens.keep(in: $0, sealer, isLate: isLate) }
  }

  @Test(arguments: [true, false])
  func `tokens that ended while their reply waited for the database are refreshed at once`(isLate: Bool) async throws {
    let world = try await World()
    var node = try world.node()
    let athlete = try await world.active(1)[0]
    try await node.stop()
    // A reply to a call of noon, which the database takes when the tokens have ended.
    let sealer = sealer(world.key)
    let now = Timestamp(microseconds: World.start * 1_000_000)
    let input = TokenRefreshJob.Input(
      athlete: athlete, purpose: .refresh, generation: 1, attempt: nil, secret: "rt",
      sealingKey: try #require(sealer.primary).id, at: now)
    let there = try await world.provider.tokens(1000 + athlete)
    let end = Timestamp(microseconds: (World.start + 6 * World.hour) * 1_000_000)
    let pair = TokenPair(accessToken: "at", refreshToken: there.refreshToken, expiresAt: end, athleteID: nil)
    try await world.setClock(World.start + 6 * World.hour + 60)
    try await keep(SpooledTokens(pair, for: input, under: 1), sealer, isLate: isLate, world)
    #expect(try await world.generation(athlete) == 2)
    // The clock stands: nothing is due later.
    node = try world.node()
    try await untilTrue("the next tokens") { try await world.generation(athlete) == 3 }
    try await node.stop()
  }

  @Test(arguments: [true, false])
  func `the spool takes nothing from another athlete who has the account by now`(isLate: Bool) async throws {
    let world = try await World()
    let node = try world.node()
    let holder = try await world.connect()[0]
    try await world.until(holder, is: "active")
    try await node.stop()
    let other = try await world.connect()[0]
    let (token, sealer) = (try await world.token(holder), sealer(world.key))
    try await keep(try reply(other, account: 1000 + holder, sealer), sealer, isLate: isLate, world)
    #expect(try await world.generation(holder) == (isLate ? 1 : 2))
    #expect(try await (world.token(holder) == token) == isLate)
    #expect(try await world.generation(other) == 0)
  }

  @Test func `the spool keeps a file with an unknown key, reports it, and commits the others`() async throws {
    let world = try await World()
    let athletes = try await world.connect(2)
    let (own, foreign) = (sealer(world.key), sealer(World.newKey()))
    let observe: @Sendable (Observation) -> Void = { _ in }
    let directory = world.directory.path
    for (athlete, key) in zip(athletes, [foreign, own]) {
      await Spool(in: directory, key, time: TestTime.host, observe: observe)
        .keep(try reply(athlete, account: 1000 + athlete, key, lease: athlete))
    }
    let spool = Spool(in: directory, own, time: TestTime.host, observe: observe)
    #expect(spool.waiting == Set(athletes))
    let work = SpoolWork(spool: spool, sealer: own, pool: world.database.pool())
    let outcome = await work.runDue(until: StopFlag(), due: .zero)
    #expect((outcome.interruption as? EngineError)?.code == .missing)
    #expect(spool.waiting == [athletes[0]])
    #expect(try await world.status(athletes[1]) == "active")
    #expect(try await world.status(athletes[0]) == "connecting")
  }

  @Test func `the spool writes nothing into a copy, and what it keeps of the original is stale after a fork`()
    async throws
  {
    let world = try await World()
    let athlete = try await world.connect()[0]
    let own = sealer(world.key)
    await Spool(in: world.directory.path, own, time: TestTime.host) { _ in }
      .keep(try reply(athlete, account: 1000 + athlete, own))
    let spool = Spool(in: world.directory.path, own, time: TestTime.host) { _ in }
    let work = SpoolWork(spool: spool, sealer: own, pool: world.database.pool())
    try await world.owner.execute("UPDATE settled.installation SET home = 'another/1'")
    #expect(await work.runDue(until: StopFlag(), due: .zero).items == 0)
    #expect(spool.waiting == [athlete])
    #expect(try await world.generation(athlete) == 0)
    try await world.owner.script("SELECT settled.fork(), strava.fork()")
    #expect(await work.runDue(until: StopFlag(), due: .zero).items == 1)
    #expect(spool.waiting == [])
    #expect(try await world.status(athlete) == "needs_reauth fork")
    #expect(try await world.number("SELECT count(*) FROM strava.secret") == 0)
  }

  @Test func `the spool sets aside files that are not replies, and continues`() async throws {
    let world = try await World()
    let directory = world.directory.path + "/token-spool"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    #expect(mkfifo(directory + "/1.1", 0o600) == 0)
    #expect(symlink("/etc/passwd", directory + "/2.1") == 0)
    try "half".write(toFile: directory + "/3.1", atomically: false, encoding: .utf8)
    let own = sealer(world.key)
    let spool = Spool(in: world.directory.path, own, time: TestTime.host) { _ in }
    #expect(spool.waiting == [1, 2, 3])
    let work = SpoolWork(spool: spool, sealer: own, pool: world.database.pool())
    #expect(await work.runDue(until: StopFlag(), due: .zero).interruption == nil)
    #expect(spool.waiting == [])
    try await untilTrue("three files set aside") { SpoolDisk.setAsideCount(directory) == 3 }
  }
}
