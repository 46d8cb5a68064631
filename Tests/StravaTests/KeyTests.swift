import Engine
import Operations
import Daemon
import Postgres
import DaemonSupport
import TestSupport
import Testing

/// The keys that seal: missing, wrong, new ones, and what was tampered with.
@Suite("The key of tokens", .timeLimit(.minutes(3))) struct KeyTests {
  private func reseal(_ node: TestNode) async throws -> String { try await node.ask("strava.rotate-key") }

  @Test func `a missing token key stops every call and loses nothing`() async throws {
    let world = try await World()
    let bare = try world.node { $0.provider.tokenKey = "" }
    let athlete = try await world.connect()[0]
    try await within(.seconds(60), "the refusal") {
      await bare.until { if case .interrupted("token-sealing", _) = $0 { true } else { false } }
    }
    #expect(try await bare.ask("status").contains("add the token-key credential"))
    #expect(try await bare.ask("doctor").contains("this node has no sealing key"))
    #expect(try await world.provider.report().calls == 0)
    try await bare.stop()
    let node = try world.node()
    try await world.until(athlete, is: "active")
    try await node.stop()
  }

  @Test func `a rotation without a client id is refused for that, and not for the key`() async throws {
    let world = try await World()
    let node = try world.node { $0.provider.clientID = "" }
    let error = await #expect(throws: CommandError.self) { try await node.ask("strava.rotate-key") }
    #expect(error?.rule == "client-id" && error?.description.contains("strava_client_id is not set") == true)
    try await node.stop()
  }

  @Test func `a wrong token key refreshes nothing until the right one is back`() async throws {
    let world = try await World()
    let first = try world.node()
    let athlete = try await world.connect()[0]
    try await world.until(athlete, is: "active")
    try await first.stop()
    let calls = try await world.provider.report().calls
    let other = try world.node { $0.provider.tokenKey = World.newKey() }
    try await world.setClock(World.start + 6 * World.hour - 600)
    try await within(.seconds(60), "the refusal") {
      await other.until { if case .interrupted("token-refresh", _) = $0 { true } else { false } }
    }
    #expect(try await other.ask("doctor").contains("sealed with keys that this node does not have"))
    await #expect(throws: CommandError.self) { try await other.ask("strava.rotate-key") }
    #expect(try await world.provider.report().calls == calls)
    try await other.stop()
    #expect(try await world.status(athlete) == "active")
    let again = try world.node()
    try await untilTrue("the next token") { try await world.generation(athlete) == 2 }
    try await again.stop()
  }

  @Test func `the token key is rotated in the background, and the old one is free when unused`() async throws {
    let world = try await World()
    let before = try world.node()
    let athletes = try await world.connect(5)
    for athlete in athletes { try await world.until(athlete, is: "active") }
    try await before.stop()
    let key = World.newKey()
    let node = try world.node {
      $0.provider.tokenKey = key
      $0.provider.oldTokenKeys = [world.key]
    }
    // Until the rotation, the node seals as the others do.
    let another = try await world.connect()[0]
    try await world.until(another, is: "active")
    #expect(try await world.number("SELECT count(DISTINCT key_id) FROM strava.secret") == 1)
    #expect(try await node.ask("doctor").contains("is not the sealing key yet"))
    _ = try await reseal(node)
    try await untilTrue("all resealed") { try await reseal(node).contains("\"left\": 0") }
    #expect(try await reseal(node).contains("\"resealed\": 6"))
    try await node.stop()
    // Without the old key everything is still read, and the old key does not come back.
    let last = try world.node { $0.provider.tokenKey = key }
    try await world.setClock(World.start + 6 * World.hour - 600)
    for athlete in athletes {
      try await untilTrue("the next token") { try await world.generation(athlete) == 2 }
    }
    try await last.stop()
    let stale = try world.node { $0.provider.oldTokenKeys = [key] }
    await #expect(throws: CommandError.self) { try await stale.ask("strava.rotate-key") }
    try await stale.stop()
  }

  @Test func `a changed or moved secret is not opened, and others continue`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.connect(3)
    for athlete in athletes { try await world.until(athlete, is: "active") }
    try await world.owner.execute(
      """
      UPDATE strava.secret AS s SET secret = o.secret FROM strava.secret AS o
      WHERE s.athlete_id = \(athletes[0]) AND o.athlete_id = \(athletes[1]) AND o.kind = s.kind
      """)
    try await world.setClock(World.start + 6 * World.hour - 600)
    for athlete in athletes[1...] {
      try await untilTrue("the next token") { try await world.generation(athlete) == 2 }
    }
    try await untilTrue("the failure") {
      try await world.troubles().contains { $0.contains("token-refresh \(athletes[0]): a sealed secret was altered") }
    }
    #expect(try await world.status(athletes[0]) == "active")
    try await node.stop()
  }
}
