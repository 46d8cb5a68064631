import Synchronization

/// Whether a node works on jobs that users wait for: background work yields between its batches.
package final class Foreground: Sendable {
  private struct State {
    var runs = 0
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    var waits = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// A run of foreground work begins.
  package func begin() { state.withLock { $0.runs += 1 } }

  package func end() {
    let free = state.withLock { state in
      state.runs -= 1
      return state.runs == 0 ? Array(state.waiting.values) : []
    }
    for waiting in free { waiting.finish() }
  }

  /// Returns when no foreground work is running, or after `limit`, so that background work progresses under any load.
  func stepAside(atMost limit: Duration, time: Timekeeper) async {
    let (clear, waiting) = AsyncStream<Void>.makeStream()
    let place = state.withLock { state -> Int? in
      guard state.runs > 0 else { return nil }
      state.waits += 1
      state.waiting[state.waits] = waiting
      return state.waits
    }
    guard let place else { return }
    let timer = Task {
      try? await time.sleep(limit)
      waiting.finish()
    }
    for await _ in clear {}
    timer.cancel()
    state.withLock { _ = $0.waiting.removeValue(forKey: place) }
  }
}
