import Synchronization

/// The requests of a connection that have arrived whole.
///
/// A body that is cut off, by its sender or by a limit, ends for its reader like one that is whole.
final class BodyTracker: Sendable {
  private let counts = Mutex((ended: 0, taken: 0))

  /// The end of a request has come.
  func noteEnd() { counts.withLock { $0.ended += 1 } }

  /// Takes the next request, all of whose body was read; whether it is whole.
  func take() -> Bool {
    counts.withLock { counts in
      counts.taken += 1
      return counts.ended >= counts.taken
    }
  }
}
