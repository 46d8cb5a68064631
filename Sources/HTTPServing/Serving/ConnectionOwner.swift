import Synchronization

/// The owner of a connection's state: its handler on the event loop and its task share it.
final class ConnectionOwner: Sendable {
  private let state: Mutex<ConnectionState>
  private let flushes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(bodyAtMost: Duration) {
    state = Mutex(ConnectionState(bodyAtMost: bodyAtMost))
  }

  /// Applies an event to the state.
  func update<Result: Sendable>(_ event: (inout ConnectionState) -> Result) -> Result {
    let (result, isFlushed) = state.withLock { state in (event(&state), state.isFlushed) }
    if isFlushed { flushes.continuation.yield() }
    return result
  }

  /// Waits until the response has left, the connection is closed, or the task is cancelled.
  ///
  /// A writer returns when it has handed its bytes on; until the client takes them they lie in memory.
  func waitForFlush() async {
    // The first one may be of an earlier response.
    for await _ in flushes.stream where state.withLock({ $0.isFlushed }) { return }
  }
}
