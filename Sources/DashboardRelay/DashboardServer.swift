import ControlClient
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
  private let client: ControlClient
  private let allowsChanges: Bool
  private let zone: String?

  /// - Parameters:
  ///   - path: of the daemon's control socket.
  ///   - zone: of times; nil: the one of racing's calendar.
  package init(_ place: Place, path: String, allowsChanges: Bool, zone: String?) {
    self.place = place
    client = ControlClient(path: path, bytesMax: RelayLimits.answerBytesMax)
    self.allowsChanges = allowsChanges
    self.zone = zone
  }

  /// Calls `announce` once with the address to open; returns when `stopped` does.
  package func run(
    announce: @Sendable (String) -> Void, stopped: @escaping @Sendable () async throws -> Void
  ) async throws {
    var random = SystemRandomNumberGenerator()
    let token = Token(using: &random)
    let relay = Relay(
      Gate(owner: geteuid(), token: token, allowsChanges: allowsChanges), client: client, zone: zone)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = RelayServer(relay, owner: geteuid(), on: group)
    switch place {
    case .port(let port):
      let channel = try await server.listen(port: port)
      announce("http://127.0.0.1:\(channel.localAddress?.port ?? port)/#\(token.text)")
      try await serve(relay, stopped)
    case .path(let path):
      let socket = try OwnSocket(path: path)
      defer { socket.remove() }
      _ = try await server.listen(on: socket.descriptor)
      announce("http+unix:\(path) \(token.text)")
      try await serve(relay, stopped)
    }
    try? await group.shutdownGracefully()
  }

  private func serve(_ relay: Relay, _ stopped: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { tasks in
      tasks.addTask { try await stopped() }
      tasks.addTask {
        while relay.idle < RelayLimits.endsAfterIdle { try await Task.sleep(for: .seconds(60)) }
      }
      try await tasks.next()
      tasks.cancelAll()
    }
    await relay.watcher.stop()
  }
}
