import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix

/// Serves one listening socket.
struct SocketServer: Sendable {
  /// For people.
  let name: String
  let handler: any RequestHandler
  let limits: ServingLimits
  let gauges: ServingGauges?
  let observe: @Sendable (ServingObservation) -> Void

  /// The state that all connections of the socket share.
  private struct Shared: Sendable {
    let connections: Connections
    let untaken: UntakenAnswers
    let budget: BodyBudget
  }

  /// Observations replace hummingbird's own log.
  private static let silence = Logger(label: "settled.serving") { _ in SwiftLogNoOpLogHandler() }

  /// A silent connection is closed so much later, so that a body that does not come is answered first.
  private static let moment: Duration = .milliseconds(100)

  /// Accepts connections on a listening descriptor, which it closes at the end.
  func listen(_ descriptor: Int32, on group: any EventLoopGroup) async throws -> Listening {
    let shared = Shared(
      connections: Connections(limits: limits), untaken: UntakenAnswers(limits: limits),
      budget: BodyBudget(bytesMax: limits.bodiesBytesMax, gauges))
    let quiescing = ServerQuiescingHelper(group: group)
    let channel = try await ServerBootstrap(group: group)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in accept(channel, shared) }
      .withBoundSocket(descriptor).get()
    return Listening(name: name, channel: channel, quiescing: quiescing, connections: shared.connections)
  }

  private func accept(_ channel: any Channel, _ shared: Shared) -> EventLoopFuture<Void> {
    guard let client = Client(channel) else { return channel.close() }
    let connections = shared.connections
    guard connections.enter(client.sharer, handler.standing(of: client)) else {
      observe(.connectionRefused(socket: name, client))
      return refuse(channel, connections)
    }
    gauges?.addConnections(1)
    channel.closeFuture.whenComplete { _ in
      connections.leave(client.sharer)
      gauges?.addConnections(-1)
    }
    let owner = ConnectionOwner(bodyAtMost: limits.bodyAtMost)
    let exchange = Exchange(
      handler: handler, client: client, limits: limits, connection: owner, budget: shared.budget,
      untaken: shared.untaken, observe: observe)
    let http = HTTP1Channel(
      responder: { try await exchange.answer($0, $1, $2) },
      configuration: .init(
        additionalChannelHandlers: [ConnectionHandler(owner, handler, limits)],
        idleTimeout: TimeAmount(limits.idleAtMost + Self.moment),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.headerFieldBytesMax, maxHeaderListSize: limits.headerBytesMax,
          maxHeaderFieldCount: limits.headerFieldsMax)))
    return http.setup(channel: channel, logger: Self.silence).flatMapThrowing { connection in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(HeadRules(), position: .after(decoder))
      connections.serve { await http.handle(value: connection, logger: Self.silence) }
    }
  }

  private func refuse(_ channel: any Channel, _ connections: Connections) -> EventLoopFuture<Void> {
    let lingers = connections.enterRefused()
    if lingers { channel.closeFuture.whenComplete { _ in connections.leaveRefused() } }
    let response = handler.response(to: .tooManyConnections, of: nil)
    return channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(RefusedConnection(response, lingers: lingers))
    }
  }
}

/// A socket that is being served.
struct Listening: Sendable {
  let name: String
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
