import Dashboard
import Glibc
import NIOCore
import NIOPosix

/// Serves the dashboard of one operator, until it is stopped or has rested for twelve hours.
package struct DashboardServer: Sendable {
  package enum Place: Sendable {
    /// Of 127.0.0.1; 0: any free one.
    case port(Int)
    /// A unix socket of mode 0600.
    case path(String)
  }

  private let place: Place
  private let path: String
  private let allowsChanges: Bool
  private let zone: String?
  private let daemon: DaemonPlace

  /// - Parameters:
  ///   - path: of the daemon's control socket.
  ///   - zone: of times; nil: the one of racing's calendar.
  ///   - socket: of the daemon on its machine, for the command lines of the page; nil: settlectl's own default.
  ///   - host: of the daemon, which ssh reaches; nil: this one.
  package init(
    _ place: Place, path: String, allowsChanges: Bool, zone: String?, socket: String?, host: String?
  ) {
    self.place = place
    self.path = path
    daemon = DaemonPlace(socket: socket, host: host)
    self.allowsChanges = allowsChanges
    self.zone = zone
  }

  /// Calls `announce` once with the address to open; returns when its task is cancelled, and throws what `watch` does.
  package func run(
    announce: @Sendable (String) -> Void, watch: (@Sendable () async throws -> Void)?
  ) async throws {
    var random = SystemRandomNumberGenerator()
    let token = Token(using: &random)
    let relay = Relay(
      Gate(owner: geteuid(), token: token, allowsChanges: allowsChanges), path: path, zone: zone, place: daemon,
      version: String(random.next(), radix: 36))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = RelayServer(relay, owner: geteuid(), on: group)
    switch place {
    case .port(let port):
      let channel = try await server.listen(port: port)
      announce("http://127.0.0.1:\(channel.localAddress?.port ?? port)/#\(token.text)")
      try await serve(relay, watch)
    case .path(let path):
      let socket = try OwnSocket(path: path)
      defer { socket.remove() }
      _ = try await server.listen(on: socket.descriptor)
      announce("http+unix:\(path) \(token.text)")
      try await serve(relay, watch)
    }
    try? await group.shutdownGracefully()
  }

  private func serve(_ relay: Relay, _ watch: (@Sendable () async throws -> Void)?) async throws {
    do {
      try await withThrowingTaskGroup { tasks in
        if let watch { tasks.addTask { try await watch() } }
        tasks.addTask {
          while relay.idle < RelayLimits.endsAfterIdle { try await Task.sleep(for: .seconds(60)) }
        }
        try await tasks.next()
        tasks.cancelAll()
      }
    } catch is CancellationError {
      // A signal ends the run.
    }
    await relay.watcher.stop()
  }
}
