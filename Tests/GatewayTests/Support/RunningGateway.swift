import HTTPServing
import Logging
import Synchronization

@testable import Gateway

/// A gateway that listens in this process, until its stream of signals says so.
struct RunningGateway: Sendable {
  /// Where it listens.
  let source: SocketSource
  /// Its end.
  let task: Task<Void, any Error>

  /// Starts it, and waits until it listens. Throws what starting it throws.
  init(
    _ configuration: GatewayConfiguration, _ parts: GatewayService.Parts, _ surroundings: Surroundings = .host,
    logger: Logger, until stop: AsyncStream<String>
  ) async throws {
    let bound = Bound()
    let service = GatewayService(
      configuration, parts, surroundings: surroundings, logger: logger,
      observe: { seen in
        if case .listening(let name) = seen, let source = SocketSource(name) { bound.note(source) }
      })
    let (ready, signal) = AsyncThrowingStream.makeStream(of: Void.self)
    task = Task {
      do {
        try await service.run(until: stop) { signal.finish() }
      } catch {
        signal.finish(throwing: error)
        throw error
      }
    }
    for try await _ in ready {}
    source = bound.first
  }

  /// The first socket of all that listen: the second is that of health.
  private final class Bound: Sendable {
    private let source = Mutex<SocketSource?>(nil)

    var first: SocketSource {
      guard let source = source.withLock({ $0 }) else { preconditionFailure("the gateway does not listen") }
      return source
    }

    func note(_ found: SocketSource) { source.withLock { $0 = $0 ?? found } }
  }
}
