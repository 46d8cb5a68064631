import Synchronization

/// The events since the scheduler's last poll; any number of events make one kick.
final class Signals: Sendable {
  struct State {
    var stop = false
    var isListening = false
    /// A notification came, or the listener (re)connected: something may have been missed.
    var isWoken = false
    var finished: [(name: String, outcome: RunOutcome)] = []
    /// Works that were full, and have room again.
    var roomy: Set<String> = []
    fileprivate var isNew = false

    /// Whether nothing happened but that some of these works did something, and ended well.
    func areOnlyEnds(of works: Set<String>) -> Bool {
      !stop && !isWoken && roomy.isEmpty
        && finished.allSatisfy { works.contains($0.name) && $0.outcome.items > 0 && $0.outcome.interruption == nil }
    }
  }

  private let state = Mutex(State())
  private let kicks: AsyncStream<Void>
  private let kick: AsyncStream<Void>.Continuation

  init() {
    (kicks, kick) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func update(_ change: @Sendable (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.isNew = true
    }
    kick.yield()
  }

  /// Takes what happened, leaving the lasting parts.
  func take() -> State {
    // Every event is taken.
    take { _ in true } ?? State()
  }

  /// The same where what happened is of this kind, nil where it is not.
  func take(where isOfKind: @Sendable (State) -> Bool) -> State? {
    state.withLock { state in
      guard isOfKind(state) else { return nil }
      let taken = state
      state.isWoken = false
      state.finished = []
      state.roomy = []
      state.isNew = false
      return taken
    }
  }

  /// Whether anything happened since it was last taken.
  var hasNews: Bool { state.withLock { $0.isNew } }

  /// Returns at the next kick, or after `timeout`.
  func wait(atMost timeout: Duration, time: Timekeeper) async {
    let timer = Task { [kick] in
      guard (try? await time.sleep(timeout)) != nil else { return }
      kick.yield()
    }
    defer { timer.cancel() }
    var iterator = kicks.makeAsyncIterator()
    await iterator.next()
  }
}
