package import Engine
import Operations
import StopSignals
package import TestSupport
package import ControlAPI
package import Daemon
import Logging
import Synchronization

/// A daemon inside the test process, on a test's database, whose observations can be awaited.
package final class TestNode: Sendable {
  private let observations: Observations
  private let stopper: AsyncStream<StopSignal>.Continuation
  private let running: Task<Void, any Error>
  private let commands: CommandDispatcher

  package init(
    _ database: SettledDatabase, name: String = "test", time: Timekeeper = TestTime.host,
    configure: (inout Configuration) -> Void = { _ in }
  ) {
    let observations = Observations()
    self.observations = observations
    let (stop, stopper) = AsyncStream<StopSignal>.makeStream()
    self.stopper = stopper
    var configuration = Configuration(databaseURL: database.url(.daemon), node: name)
    configure(&configuration)
    let service = Service(
      configuration, time: time,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, observe: { observations.add($0) })
    commands = service.commands(also: [], localChecks: { [] })
    running = Task { try await service.run(until: stop, time: time) }
  }

  /// The answer of a command to root: JSON.
  package func ask(_ name: String, _ values: [String: ParameterValue] = [:]) async throws -> String {
    guard let command = commands.commands.first(where: { $0.name == name }) else { return "no command \(name)" }
    let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .admin)
    return try await commands.run(command, CommandCall(caller: caller, requestId: nil, values: values))
  }

  /// Every observation from the first; each call is a new sequence.
  package var all: AsyncStream<Observation> { observations.stream() }

  /// Waits for an observation, also one that was already made.
  package func until(_ isWanted: @Sendable (Observation) -> Bool) async {
    for await observation in all where isWanted(observation) { return }
  }

  /// Waits for one more look than there were.
  package func untilPolled() async throws {
    let before = observations.count
    try await within(.seconds(20), "another poll") { [self] in
      var seen = 0
      for await observation in all {
        seen += 1
        if seen > before, case .polled = observation { return }
      }
    }
  }

  /// Waits until the node has nothing to do and sleeps.
  package func untilAsleep() async throws {
    try await within(.seconds(20), "the node's sleep") { [self] in
      await until { if case .asleep = $0 { true } else { false } }
    }
  }

  /// Stops as SIGTERM does; throws what ended the daemon.
  package func stop() async throws {
    stopper.yield(.terminate)
    defer { observations.end() }
    try await running.value
  }
}

/// Keeps what was observed, for everybody who asks later.
private final class Observations: Sendable {
  private struct State {
    var past: [Observation] = []
    var readers: [AsyncStream<Observation>.Continuation] = []
    var isOver = false
  }

  private let state = Mutex(State())

  func add(_ observation: Observation) {
    state.withLock { state in
      state.past.append(observation)
      for reader in state.readers { reader.yield(observation) }
    }
  }

  var count: Int { state.withLock { $0.past.count } }

  func stream() -> AsyncStream<Observation> {
    let (stream, continuation) = AsyncStream<Observation>.makeStream()
    state.withLock { state in
      for observation in state.past { continuation.yield(observation) }
      if state.isOver { continuation.finish() } else { state.readers.append(continuation) }
    }
    return stream
  }

  func end() {
    state.withLock { state in
      state.isOver = true
      for reader in state.readers { reader.finish() }
    }
  }
}
