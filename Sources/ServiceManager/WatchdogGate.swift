/// Decides when the watchdog may be pinged: pure.
///
/// A ping is an answer to progress (the scheduler's loop turned, or an attempt to reconnect ended) and never to a
/// timer: a stuck loop gets none, even if other parts of the process still run. Progress comes often while there is
/// work, so pings keep a distance from each other.
package struct WatchdogGate: Sendable, Equatable {
  /// How often progress must be noted so that no ping comes late.
  package let interval: Duration
  private let distance: Duration
  private var lastPing: Duration?

  /// `interval` is half of the manager's patience: progress noted that often leaves more than a third of it to spare.
  package init(interval: Duration) {
    self.interval = interval
    distance = min(.seconds(1), interval / 4)
  }

  /// Progress was made at this reading of a monotonic clock; true: ping now.
  package mutating func noteProgress(at now: Duration) -> Bool {
    if let lastPing, now - lastPing < distance { return false }
    lastPing = now
    return true
  }
}
