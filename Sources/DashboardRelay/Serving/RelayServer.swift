import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens on a loopback port or a unix socket, and hands each connection to the relay.
struct RelayServer: Sendable {
  let relay: Relay
  let group: MultiThreadedEventLoopGroup
  private let owner: UInt32
  private let own = Counter(RelayLimits.connectionsMax)
  private let strangers = Counter(RelayLimits.strangersMax)

  init(_ relay: Relay, owner: UInt32, on group: MultiThreadedEventLoopGroup) {
    self.relay = relay
    self.owner = owner
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
    let (relay, owner, own, strangers) = (relay, owner, own, strangers)
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = RelayLimits.parsedHeadBytesMax
    limits.maxHeaderListSize = RelayLimits.parsedHeadBytesMax
    let parserLimits = limits
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        let visitor = Visitor(channel)
        let isOwner = visitor.isKnown(as: owner)
        // Other users take no place that the operator may need.
        let places = isOwner ? own : strangers
        guard places.enter() else { return channel.close() }
        channel.closeFuture.whenComplete { _ in places.leave() }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline(
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: parserLimits)
          try pipeline.addHandler(RelayConnection(relay, visitor, isKept: isOwner))
        }
      }
  }

  /// The open connections; one more than the limit is closed at once.
  private final class Counter: Sendable {
    private let max: Int
    private let open = Mutex(0)

    init(_ max: Int) { self.max = max }

    func enter() -> Bool {
      open.withLock { open in
        guard open < max else { return false }
        open += 1
        return true
      }
    }

    func leave() { open.withLock { $0 -= 1 } }
  }
}
