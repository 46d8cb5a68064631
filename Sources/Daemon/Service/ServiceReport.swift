package import Engine
package import Operations
package import ServiceManager
import Synchronization

/// Tells the service manager how the daemon is, by what the daemon observes: READY once, the status line when it
/// changes, and the pings that progress earns.
///
/// To be made when the sockets listen: READY is said at the first acquaintance with the database, or by
/// `readyAtLatest`.
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

  /// How often the loop must turn so that the watchdog is content: the scheduler's longest heartbeatInterval.
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

  /// The line is degraded exactly where `settlectl status` shows a problem.
  private func showStatus() {
    guard let monitor = state.withLock(\.monitor)?.current, monitor.databaseError == nil,
      let snapshot = monitor.snapshot
    else { return }
    show(StatusLine.text(snapshot, NodeStatus(monitor, now: time.now()).problemCodes))
  }

  /// Says READY when the database has kept a start waiting for 5 s: the daemon works as soon as it is there.
  package func readyAtLatest() async {
    guard (try? await time.sleep(Self.timeout)) != nil else { return }
    ready("degraded: the database is unreachable")
  }

  /// To be called first when a stop was asked for; after it nothing changes the status.
  package func stopping() {
    state.withLock { state in
      guard !state.isStopping else { return }
      state.isStopping = true
      manager.stopping()
    }
  }

  // Messages are sent under the lock, so that they come in the order of what they say.

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
