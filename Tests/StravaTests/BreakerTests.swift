import Engine
import Postgres
import DaemonSupport
import TestSupport
import Testing

@testable import Strava

@Suite("The breaker of calls", .timeLimit(.minutes(4))) struct BreakerTests {
  private static let problem: Statement = """
    SELECT coalesce(max(problem), '') FROM settled.problem WHERE name = 'token-refresh provider'
    """

  @Test func `the breaker opens at the fifth failure in a row, and a success resets the count`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(2)
    try await world.provider.configure(ProviderSettings(faults: [.status500: 1]))
    try await world.makeDue([athletes[0]])
    for failures in 1...4 { try await Self.failures(failures, isOpen: false, world, node) }
    try await world.provider.configure(ProviderSettings(faults: [:]))
    try await world.endBackoff()
    try await world.expectRefreshes(1, [node])
    // The provider counts a reply before the node has written it.
    try await untilTrue("a count of no failures") {
      try await world.number("SELECT failures_in_row FROM strava.provider") == 0
    }
    try await Self.failures(0, isOpen: false, world, node)
    try await world.provider.configure(ProviderSettings(faults: [.status500: 1]))
    try await world.due([athletes[1]])
    for failures in 1...5 { try await Self.failures(failures, isOpen: failures == 5, world, node) }
    #expect(try await world.owner.query(Self.problem).one(String.self).contains("one call at a time"))
    #expect(try await node.status().errors["server"] ?? 0 >= 9)
    try await node.stop()
  }

  /// Waits for so many failures in a row, and ends the pause after the last.
  private static func failures(_ count: Int, isOpen: Bool, _ world: World, _ node: TestNode) async throws {
    let row: Statement = "SELECT failures_in_row, open_since IS NOT NULL FROM strava.provider"
    try await untilTrue("\(count) failures") {
      // The pause after the last of them is not ended: it would bring one more.
      try await world.owner.execute(
        "UPDATE settled.failure SET next_attempt_at = last_at WHERE next_attempt_at > last_at AND attempts < \(Int64(count))"
      )
      return try await world.owner.query(row).one(Int64.self, Bool.self).0 >= Int64(count)
    }
    let (failures, opened) = try await world.owner.query(row).one(Int64.self, Bool.self)
    // Failures after those that are asked for would be those of a breaker that is open.
    #expect(failures == Int64(count) || (isOpen && failures > Int64(count)))
    #expect(opened == isOpen)
    #expect(try await node.status().breaker.state == (isOpen ? "open" : "closed"))
  }

  @Test func `the breaker lets one call at a time probe, and closes with the first answer`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(12)
    // Each call takes its time, so that calls that are made at once are seen to be.
    try await world.provider.configure(ProviderSettings(delayMs: 100, faults: [.status500: 1]))
    try await world.makeDue(athletes)
    try await untilTrue("an open breaker") { try await Self.isOpen(world) }
    #expect(try await world.provider.report().inHandMax > 1)
    try await Self.untilCallsBeforeHaveEnded(node)
    try await world.provider.configure(ProviderSettings(delayMs: 100))
    let calls = try await world.provider.report().calls
    try await untilTrue("three more calls") { try await world.provider.report().calls >= calls + 3 }
    #expect(try await world.provider.report().inHandMax == 1)
    #expect(try await Self.isOpen(world))
    #expect(try await node.ask("status").contains("retrying with one call at a time"))
    try await world.provider.configure(ProviderSettings(delayMs: 0, faults: [:]))
    try await untilTrue("all refreshes") {
      try await world.endBackoff()
      return try await world.refreshes() == 12
    }
    // The provider has counted a reply before it is written here.
    try await untilTrue("the end of all trouble") { try await world.troubles() == [] }
    #expect(try await !Self.isOpen(world))
    try await node.stop()
  }

  /// The node knows of the trouble, and what it had begun before is over.
  private static func untilCallsBeforeHaveEnded(_ node: TestNode) async throws {
    try await within(.seconds(60), "the end of calls that began before") {
      var isInterrupted = false
      for await observation in node.all {
        switch observation {
        case .interrupted(TokenRefreshJob.jobName, _): isInterrupted = true
        case .calls(TokenRefreshJob.jobName, count: 0) where isInterrupted: return
        default: break
        }
      }
    }
  }

  @Test func `the breaker stops all calls while the client is refused, reports it, and recovers`()
    async throws
  {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(12)
    try await world.provider.configure(ProviderSettings(deniesClient: true))
    let before = try await world.provider.report().calls
    try await world.makeDue(athletes)
    try await untilTrue("an open breaker") { try await Self.isOpen(world) }
    #expect(try await world.provider.report().calls - before <= 8)
    let text = try await world.owner.query(Self.problem).one(String.self)
    #expect(text.contains("rejected the client: check the strava-client-secret credential, and restart"), "\(text)")
    #expect(try await node.status().breaker.class == "client")
    // It shows what its last look at the database saw.
    try await untilTrue("the status") { try await node.ask("status").contains("rejected the client") }
    // It is nobody's fault among the athletes.
    #expect(try await world.number("SELECT count(*) FROM settled.failure") == 0)
    #expect(try await world.number("SELECT count(*) FROM strava.connection WHERE status <> 'active'") == 0)
    try await world.provider.configure(ProviderSettings(deniesClient: false))
    try await world.expectRefreshes(12, [node])
    // The provider has counted a reply before it is written here.
    try await untilTrue("the end of all trouble") { try await world.troubles() == [] }
    #expect(try await !Self.isOpen(world))
    try await node.stop()
  }

  @Test func `an unknown client id stops all calls, and the problem names its key`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(12)
    try await world.provider.configure(ProviderSettings(knowsNoClient: true))
    let before = try await world.provider.report().calls
    try await world.makeDue(athletes)
    try await untilTrue("an open breaker") { try await Self.isOpen(world) }
    #expect(try await world.provider.report().calls - before <= 8)
    let text = try await world.owner.query(Self.problem).one(String.self)
    #expect(text.contains("check strava_client_id, and restart"), "\(text)")
    #expect(try await world.number("SELECT count(*) FROM strava.connection WHERE status <> 'active'") == 0)
    try await node.stop()
  }

  @Test func `codes that the provider forbids delay no refresh`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(3)
    try await world.provider.configure(ProviderSettings(forbidsCodes: true))
    _ = try await world.connect(30)
    try await untilTrue("30 refusals") { try await world.number("SELECT count(*) FROM settled.failure") == 30 }
    #expect(try await !Self.isOpen(world))
    try await world.makeDue(athletes)
    try await world.expectRefreshes(3, [node])
    try await node.stop()
  }

  @Test func `a call that tries whether the provider is back is a refresh where one is due`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(3)
    try await world.provider.configure(ProviderSettings(faults: [.status500: 1]))
    _ = try await world.connect(30)
    try await world.makeDue(athletes)
    try await untilTrue("an open breaker") { try await Self.isOpen(world) }
    try await Self.untilCallsBeforeHaveEnded(node)
    // The codes are still bad when the provider is back: only a refresh closes the breaker.
    try await world.provider.configure(ProviderSettings(faults: [:], forbidsCodes: true))
    try await untilTrue("a closed breaker") {
      try await world.endBackoff()
      return try await !Self.isOpen(world)
    }
    try await world.expectRefreshes(3, [node])
    try await node.stop()
  }

  private static func isOpen(_ world: World) async throws -> Bool {
    try await world.owner.query("SELECT open_since IS NOT NULL FROM strava.provider").one(Bool.self)
  }
}
