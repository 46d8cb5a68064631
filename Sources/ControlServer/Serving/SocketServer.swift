import ControlAPI
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix

/// Serves one listening socket.
struct SocketServer: Sendable {
  /// For people.
  let name: String
  let handler: any Handler
  let limits: ControlLimits
  let observe: @Sendable (ControlObservation) -> Void

  /// What hummingbird has to say is said by observations.
  private static let silence = Logger(label: "settled.control") { _ in SwiftLogNoOpLogHandler() }

  /// A silent connection is closed so much later, so that a body that does not come is answered first.
  private static let moment: Duration = .milliseconds(100)

  /// Accepts connections on a listening descriptor, which it closes at the end.
  func listen(_ descriptor: Int32, on group: any EventLoopGroup) async throws -> Listening {
    let connections = Connections(limits: limits)
    let untaken = UntakenAnswers(limits: limits)
    let quiescing = ServerQuiescingHelper(group: group)
    let channel = try await ServerBootstrap(group: group)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in accept(channel, connections, untaken) }
      .withBoundSocket(descriptor).get()
    return Listening(channel: channel, quiescing: quiescing, connections: connections)
  }

  private func accept(
    _ channel: any Channel, _ connections: Connections, _ untaken: UntakenAnswers
  ) -> EventLoopFuture<Void> {
    let peer = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: Int32.self) { Peer(socket: $0) }
    guard let peer = peer ?? nil else { return channel.close() }
    let user = peer.uid
    guard connections.enter(user, handler.standing(of: peer)) else {
      observe(.connectionRefused(socket: name, uid: user))
      return refuse(channel, connections)
    }
    channel.closeFuture.whenComplete { _ in connections.leave(user) }
    let (arrivals, departures) = (Arrivals(), Departures())
    channel.closeFuture.whenComplete { _ in departures.end() }
    let exchange = Exchange(
      handler: handler, peer: peer, limits: limits, arrivals: arrivals, departures: departures, untaken: untaken,
      observe: observe)
    let http = HTTP1Channel(
      responder: { try await exchange.answer($0, $1, $2) },
      configuration: .init(
        additionalChannelHandlers: [ParserErrorHandler(arrivals, departures, bodyAtMost: limits.idleAtMost)],
        idleTimeout: TimeAmount(limits.idleAtMost + Self.moment),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.headerFieldBytesMax, maxHeaderListSize: limits.headerBytesMax,
          maxHeaderFieldCount: limits.headerFieldsMax)))
    return http.setup(channel: channel, logger: Self.silence).map { connection in
      connections.serve { await http.handle(value: connection, logger: Self.silence) }
    }
  }

  private func refuse(_ channel: any Channel, _ connections: Connections) -> EventLoopFuture<Void> {
    let lingers = connections.enterRefused()
    if lingers { channel.closeFuture.whenComplete { _ in connections.leaveRefused() } }
    return channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(Refusal(lingers: lingers))
    }
  }
}

/// A socket that is being served.
struct Listening: Sendable {
  let channel: any Channel
  let quiescing: ServerQuiescingHelper
  let connections: Connections

  /// Takes no more connections, closes those that are idle, and waits until requests under way are answered.
  func finish() async throws {
    let end = channel.eventLoop.makePromise(of: Void.self)
    quiescing.initiateShutdown(promise: end)
    try await end.futureResult.get()
    // Their tasks use the event loop until their very end.
    await connections.end()
  }
}
