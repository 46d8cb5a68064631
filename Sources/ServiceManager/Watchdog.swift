internal import Synchronization

/// The manager's watchdog, fed by progress from any task.
///
/// Does nothing where no manager waits for pings.
package final class Watchdog: Sendable {
  private let manager: ServiceManager
  private let gate: Mutex<WatchdogGate>?

  package init(_ manager: ServiceManager) {
    self.manager = manager
    gate = manager.watchdogInterval.map { Mutex(WatchdogGate(interval: $0)) }
  }

  /// The scheduler's loop turned, or an attempt to reconnect ended, at this reading of a monotonic clock.
  ///
  /// The first such moment is to be noted before READY, and then at least once in each `watchdogInterval`.
  package func noteProgress(at now: Duration) {
    if gate?.withLock({ $0.noteProgress(at: now) }) ?? false { manager.pingWatchdog() }
  }
}
