import Synchronization

/// The owner of a connection's state: its handler on the event loop and its task share it.
final class ConnectionOwner: Sendable {
  private struct Guarded {
    var state: ConnectionState
    /// Resumed when `isFlushed` becomes true.
    var flushWaiter: CheckedContinuation<Void, Never>?
  }

  private let guarded: Mutex<Guarded>

  init(bodyAtMost: Duration) {
    guarded = Mutex(Guarded(state: ConnectionState(bodyAtMost: bodyAtMost)))
  }

  /// Applies an event to the state.
  @discardableResult
  func update<Result: Sendable>(_ event: (inout ConnectionState) -> Result) -> Result {
    let (result, waiter) = guarded.withLock { guarded in
      let result = event(&guarded.state)
      return (result, Self.takeWaiter(&guarded))
    }
    waiter?.resume()
    return result
  }

  /// Waits until the response has left, the connection is closed, or the task is cancelled.
  ///
  /// A writer returns when it has handed its bytes on; until the client takes them they lie in memory.
  func waitForFlush() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = guarded.withLock { guarded in
          guarded.flushWaiter = continuation
          return Self.takeWaiter(&guarded)
        }
        waiter?.resume()
      }
    } onCancel: {
      update { _ = $0.closed() }
    }
  }

  private static func takeWaiter(_ guarded: inout Guarded) -> CheckedContinuation<Void, Never>? {
    guard guarded.state.isFlushed else { return nil }
    defer { guarded.flushWaiter = nil }
    return guarded.flushWaiter
  }
}
