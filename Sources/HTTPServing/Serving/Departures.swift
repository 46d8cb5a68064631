import Synchronization

/// The answers of a connection that have left for its caller, to the last byte.
///
/// A writer returns when it has handed its bytes on; until the caller takes them they lie in memory.
final class Departures: Sendable {
  private struct State {
    /// Answers that have not left.
    var left = 0
    var isOver = false
    var waiter: CheckedContinuation<Void, Never>?

    var isClear: Bool { left <= 0 || isOver }
  }

  private let state = Mutex(State())

  /// An answer is about to be written; one at a time.
  func expect() { state.withLock { $0.left += 1 } }

  /// The end of an answer has left, or failed to.
  func noteGone() { update { $0.left -= 1 } }

  /// The connection is closed: nothing leaves any more.
  func end() { update { $0.isOver = true } }

  /// Waits until what was expected has left, the connection is closed, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        update { $0.waiter = continuation }
      }
    } onCancel: {
      end()
    }
  }

  private func update(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      change(&state)
      guard state.isClear else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
