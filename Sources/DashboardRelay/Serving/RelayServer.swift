import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens on a loopback port or a unix socket, and hands each connection to the relay.
struct RelayServer: Sendable {
  let relay: Relay
  let group: MultiThreadedEventLoopGroup
  private let connections = Counter()

  init(_ relay: Relay, on group: MultiThreadedEventLoopGroup) {
    self.relay = relay
    self.group = group
  }

  /// On 127.0.0.1 only; 0 is any free port.
  func listen(port: Int) async throws -> any Channel {
    do {
      return try await bootstrap.bind(host: "127.0.0.1", port: port).get()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw RelayError(.inUse, "port \(port) is in use")
    }
  }

  func listen(on descriptor: Int32) async throws -> any Channel {
    try await bootstrap.withBoundSocket(descriptor).get()
  }

  private var bootstrap: ServerBootstrap {
    let (relay, connections) = (relay, connections)
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard connections.enter() else { return channel.close() }
        channel.closeFuture.whenComplete { _ in connections.leave() }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
          try pipeline.addHandler(RelayConnection(relay, Visitor(channel)))
        }
      }
  }

  /// The open connections; one more than the limit is closed at once.
  private final class Counter: Sendable {
    private let open = Mutex(0)

    func enter() -> Bool {
      open.withLock { open in
        guard open < RelayLimits.connectionsMax else { return false }
        open += 1
        return true
      }
    }

    func leave() { open.withLock { $0 -= 1 } }
  }
}
