import Foundation
import Postgres
import TestSupport
import Testing

/// The database is unreachable exactly when a reply arrives, and the daemon that has it on disk is killed.
@Suite("A reply that the database was away for", .timeLimit(.minutes(5))) struct SpoolKillTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil

  /// The state once the node `a` was killed: its spool has the athlete's second tokens, the database the first.
  private struct Scene {
    let world: World
    let athlete: Int64
    let dead: SettledProcess
    let spool: SpoolDirectory

    init() async throws {
      world = try await World()
      dead = try world.process("a")
      athlete = try await world.connect()[0]
      spool = SpoolDirectory(of: "a", below: world.directory)
      try await world.until(athlete, is: "active")
      try await untilTrue("the first reply's file removed") { [spool] in spool.names.isEmpty }
      // Long enough for a busy machine to take the database away before the reply arrives.
      try await world.provider.configure(ProviderSettings(delayMs: 3000))
      try await world.setClock(World.start + 6 * World.hour - 600)
      try await untilTrue("the call") { [world] in try await world.provider.report().rotations == 1 }
      try await world.setDatabase(open: false)
      try await untilTrue("the reply on disk") { [spool, athlete] in spool.athletes == [athlete] }
      dead.killHard()
      #expect(try await dead.exit() == .signal(SIGKILL))
      try await world.setDatabase(open: true)
      try await world.provider.configure(ProviderSettings(delayMs: 0))
      #expect(try await world.generation(athlete) == 1)
      #expect(try await world.provider.report().undelivered.isEmpty)
    }

    /// Another node waits the lease out, and learns that the old token is dead.
    func otherNode() async throws -> SettledProcess {
      let other = try world.process("b")
      if !SpoolKillTests.isSoak { #expect(try await LeaseHeir(world.database).takeAway(of: [dead]) == 1) }
      try await world.until(athlete, is: "needs_reauth lost-reply")
      #expect(
        try await world.number("SELECT count(*) FROM strava.lost_reply WHERE cause = 'node' AND is_lost") == 1)
      return other
    }

    func untilSpoolIsEmpty() async throws {
      try await untilTrue("an empty spool") { [spool] in spool.names.isEmpty }
    }

    /// The token is the provider's, and the next refresh is not refused.
    func isWhole(refused: Int) async throws {
      let theirs = try await world.provider.tokens(1000 + athlete)
      #expect(try await world.token(athlete) == theirs.accessToken)
      let before = try await world.generation(athlete)
      try await world.setClock(World.start + 13 * World.hour)
      try await untilTrue("the next refresh") { [world, athlete] in
        if try await world.generation(athlete) != before { return true }
        return try await world.status(athlete) != "active"
      }
      #expect(try await world.status(athlete) == "active")
      #expect(try await world.token(athlete) == world.provider.tokens(1000 + athlete).accessToken)
      let report = try await world.provider.report()
      #expect(report.refusedGrants == refused && report.parallel == 0)
      #expect(try await world.number("SELECT count(*) FROM settled.lease") == 0)
      // The file goes after the commit.
      try await untilSpoolIsEmpty()
    }
  }

  @Test func `a spooled reply is committed by the next daemon, before any refresh`() async throws {
    let scene = try await Scene()
    let daemon = try scene.world.process("a")
    try await untilTrue("the second tokens") { try await scene.world.generation(scene.athlete) == 2 }
    try await scene.untilSpoolIsEmpty()
    #expect(try await scene.world.status(scene.athlete) == "active")
    #expect(try await scene.world.provider.report().refreshes == 1)
    #expect(try await scene.world.number("SELECT count(*) FROM strava.lost_reply") == 0)
    try await scene.isWhole(refused: 0)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test func `a spooled reply revives a connection that another node gave up meanwhile`() async throws {
    let scene = try await Scene()
    let other = try await scene.otherNode()
    let daemon = try scene.world.process("a")
    try await scene.world.until(scene.athlete, is: "active")
    #expect(try await scene.world.generation(scene.athlete) == 2)
    try await scene.untilSpoolIsEmpty()
    #expect(try await scene.world.number("SELECT count(*) FROM strava.lost_reply") == 0)
    try await untilTrue("the event") {
      try await scene.world.events().last?.hasPrefix("strava.connected") ?? false
    }
    try await scene.isWhole(refused: 1)
    for process in [other, daemon] { process.terminate() }
    for process in [other, daemon] { #expect(try await process.exit() == .code(0)) }
  }

  @Test(arguments: [false, true])
  func `a spooled reply is ignored when the athlete has connected again`(hasDisconnected: Bool) async throws {
    let scene = try await Scene()
    let (world, athlete) = (scene.world, scene.athlete)
    let other = try await scene.otherNode()
    if hasDisconnected {
      try await world.app.execute("SELECT racing.disconnect_strava(\(athlete))")
      try await untilTrue("nothing kept") { try await world.generation(athlete) == 0 }
    }
    try await world.connect(athlete, as: 1000 + athlete)
    try await world.advance(by: 60)
    try await world.until(athlete, is: "active")
    let newest = try await world.token(athlete)
    let daemon = try world.process("a")
    try await scene.untilSpoolIsEmpty()
    #expect(try await world.token(athlete) == newest)
    try await scene.isWhole(refused: 1)
    for process in [other, daemon] { process.terminate() }
    for process in [other, daemon] { #expect(try await process.exit() == .code(0)) }
  }
}
