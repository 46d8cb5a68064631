package import Engine
package import Operations
package import ServiceManager
import Synchronization

/// Reports the daemon's state to the service manager, from its observations: READY once, the status line when it
/// changes, and watchdog pings on progress.
///
/// Create it when the sockets listen: READY is sent at the first connection to the database, or by `readyAtLatest`.
package final class ServiceReport: Sendable {
  private struct State {
    var isReady = false
    var isStopping = false
    var line = "connecting to the database"
    var monitor: NodeMonitor?
  }

  private let manager: ServiceManager
  private let watchdog: Watchdog
  private let time: Timekeeper
  private let state = Mutex(State())

  /// How long a start waits for the database.
  private static let timeout: Duration = .seconds(5)

  package init(_ manager: ServiceManager, time: Timekeeper) {
    self.manager = manager
    self.time = time
    watchdog = Watchdog(manager)
    watchdog.noteProgress(at: time.now())
  }

  /// The longest interval between iterations that keeps the watchdog from firing: the scheduler's longest
  /// heartbeatInterval.
  package static func heartbeatInterval(for manager: ServiceManager) -> Duration? { manager.watchdogInterval }

  package func note(_ observation: Observation) {
    switch observation {
    case .iteration: watchdog.noteProgress(at: time.now())
    case .started: ready("ready")
    case .databaseAway: show("degraded: the database is unreachable")
    case .databaseBack: show("the database is back")
    case .polled, .listening, .listenLost, .nameAwaited, .nameShared, .interrupted, .resumed: showStatus()
    default: break
    }
  }

  /// From now on the status line has the problems of this node.
  package func follow(_ monitor: NodeMonitor) {
    state.withLock { $0.monitor = monitor }
  }

  /// The line is degraded exactly while `settlectl status` shows a problem.
  private func showStatus() {
    guard let monitor = state.withLock(\.monitor)?.current, monitor.databaseError == nil,
      let snapshot = monitor.snapshot
    else { return }
    show(StatusLine.text(snapshot, NodeStatus(monitor, now: time.now()).problemCodes))
  }

  /// Sends READY when the database has delayed a start for 5 s: the daemon works as soon as the database is there.
  package func readyAtLatest() async {
    guard (try? await time.sleep(Self.timeout)) != nil else { return }
    ready("degraded: the database is unreachable")
  }

  /// Call it first on a request to stop; after it nothing changes the status.
  package func stopping() {
    state.withLock { state in
      guard !state.isStopping else { return }
      state.isStopping = true
      manager.stopping()
    }
  }

  // Messages are sent under the lock, so that they arrive in order.

  private func ready(_ line: String) {
    state.withLock { state in
      guard !state.isReady && !state.isStopping else { return }
      state.isReady = true
      state.line = line
      manager.ready(status: line)
    }
  }

  private func show(_ line: String) {
    state.withLock { state in
      guard state.line != line && !state.isStopping else { return }
      state.line = line
      manager.status(line)
    }
  }
}
