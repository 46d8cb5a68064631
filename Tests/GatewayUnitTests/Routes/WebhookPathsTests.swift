import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("The paths of webhooks that a gateway knows") struct WebhookPathsTests {
  /// A database that counts its readings, and a clock that stands until something sleeps.
  private final class Stand: Sendable {
    private let state = Mutex((readings: 0, now: Duration.zero, paths: Set<String>(), isAway: false))

    var readings: Int { state.withLock { $0.readings } }

    func set(_ paths: Set<String>, isAway: Bool = false) { state.withLock { ($0.paths, $0.isAway) = (paths, isAway) } }

    func read() throws(GatewayError) -> Set<String> {
      let (paths, isAway) = state.withLock { state in
        state.readings += 1
        return (state.paths, state.isAway)
      }
      if isAway { throw .tryLater("away") }
      return paths
    }

    func pause(_ duration: Duration) { state.withLock { $0.now += duration } }

    var now: Duration { state.withLock { $0.now } }
  }

  private struct Gate {
    let stand = Stand()
    let paths: WebhookPaths

    init() {
      var surroundings = Surroundings.host
      surroundings.now = { [stand] in stand.now }
      // As long as it takes the others to ask.
      surroundings.sleep = { [stand] pause in
        for _ in 0..<2000 { await Task.yield() }
        stand.pause(pause)
      }
      paths = WebhookPaths(surroundings)
    }

    func knows(_ path: String) async throws -> Bool {
      try await paths.knows(path) { () throws(GatewayError) in try stand.read() }
    }
  }

  @Test func `a known path is not looked for, and 500 guesses share readings`() async throws {
    let gate = Gate()
    gate.stand.set(["p"])
    #expect(try await gate.knows("p"))
    #expect(gate.stand.readings == 1)
    let known = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<500 {
        group.addTask { try await gate.knows("g\(number)") }
        group.addTask { try await gate.knows("p") }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(known == 500)
    #expect(gate.stand.readings < 250)
  }

  @Test func `a path that was asked for just now is found, although another was looked for before`() async throws {
    let gate = Gate()
    #expect(try await !gate.knows("guess"))
    gate.stand.set(["new"])
    #expect(try await gate.knows("new"))
    #expect(gate.stand.readings == 2)
  }

  @Test func `a database that is away refuses unknown paths, and the next request looks again`() async throws {
    let gate = Gate()
    gate.stand.set([], isAway: true)
    await #expect(throws: GatewayError.tryLater("away")) {
      _ = try await gate.knows("p")
    }
    gate.stand.set(["p"])
    #expect(try await gate.knows("p"))
  }
}
