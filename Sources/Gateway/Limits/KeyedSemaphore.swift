import Synchronization

/// Lets so many at once through for each key, the others in the order in which they came.
final class KeyedSemaphore: Sendable {
  enum Outcome: Sendable {
    case taken
    /// Too many wait.
    case full
    /// The task was cancelled while it waited.
    case cancelled
  }

  private struct Queue {
    var busy = 0
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Outcome, Never>)] = []
  }

  private struct State {
    var queues: [String: Queue] = [:]
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())
  private let waitingMax: Int

  init(waitingMax: Int) {
    self.waitingMax = waitingMax
  }

  /// Waits until it may run; the place is given back with `give`.
  func take(_ key: String, atOnce most: Int) async -> Outcome {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome: Outcome? = state.withLock { state in
          if Task.isCancelled { return .cancelled }
          var queue = state.queues[key] ?? Queue()
          defer { state.queues[key] = queue }
          if queue.busy < most {
            queue.busy += 1
            return .taken
          }
          if queue.waiting.count >= waitingMax { return .full }
          queue.waiting.append((id, continuation))
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      leave(key, id)
    }
  }

  /// The next one that waits has the place, or nobody.
  func give(_ key: String) {
    let next = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard var queue = state.queues[key] else { return nil }
      guard queue.waiting.isEmpty else {
        let continuation = queue.waiting.removeFirst().continuation
        state.queues[key] = queue
        return continuation
      }
      queue.busy -= 1
      state.queues[key] = queue.busy > 0 ? queue : nil
      return nil
    }
    next?.resume(returning: .taken)
  }

  func waiting(_ key: String) -> Int { state.withLock { $0.queues[key]?.waiting.count ?? 0 } }

  /// Nothing is kept of anybody.
  var isIdle: Bool { state.withLock { $0.queues.isEmpty } }

  private func leave(_ key: String, _ id: UInt64) {
    let left = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard let index = state.queues[key]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
      return state.queues[key]?.waiting.remove(at: index).continuation
    }
    left?.resume(returning: .cancelled)
  }
}
