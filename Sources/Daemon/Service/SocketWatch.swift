import Engine
import Operations
import ControlServer
import Logging
import Synchronization

/// Detects at each poll that a socket file was removed under the daemon, and reports it once.
final class SocketWatch: Sendable {
  private let logger: Logger
  private let watched = Mutex<(server: ControlServer, monitor: NodeMonitor)?>(nil)

  init(_ logger: Logger) {
    self.logger = logger
  }

  func watch(_ server: ControlServer, for monitor: NodeMonitor) {
    watched.withLock { $0 = (server, monitor) }
  }

  func note(_ observation: Observation) {
    guard case .polled = observation, let (server, monitor) = watched.withLock({ $0 }) else { return }
    let lost = server.lostPaths
    guard monitor.noteLostSockets(lost) else { return }
    for path in lost {
      logger.error(
        "a socket file was removed: the socket is unreachable until a restart", metadata: ["socket": "\(path)"])
    }
  }
}
