import ControlAPI
import NIOCore
import NIOHTTP1

/// Collects the requests of one connection, each whole, and has them answered one after another.
final class RelayConnection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let relay: Relay
  private let visitor: Visitor
  private let isKept: Bool
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var refusal: Problem?
  private var timer: Scheduled<Void>?
  private var work: Task<Void, Never>?

  /// - Parameter isKept: whether it may have a second request.
  init(_ relay: Relay, _ visitor: Visitor, isKept: Bool) {
    self.relay = relay
    self.visitor = visitor
    self.isKept = isKept
  }

  func handlerAdded(context: ChannelHandlerContext) { startTimer(context) }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    work?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
      refusal = Self.refusal(of: head)
    case .body(var piece):
      guard refusal == nil else { return }
      body += piece.readBytes(length: piece.readableBytes) ?? []
      guard body.count > RelayLimits.bodyBytesMax else { return }
      body = []
      refusal = Problem(
        413, rule: Problem.Rule.body, "the body has more than \(RelayLimits.bodyBytesMax) bytes")
    case .end:
      timer?.cancel()
      guard let head else { return }
      // The answer to HEAD is a refusal with a body, which is the last of its connection.
      let isKeptAlive = isKept && head.isKeepAlive && refusal == nil && head.method != .HEAD
      let sink = Sink(channel: context.channel, isKeptAlive: isKeptAlive)
      let (relay, visitor, body, refusal) = (relay, visitor, body, refusal)
      work = Task {
        do {
          if let refusal { return try await sink.send(RelayAnswer(refusal)) }
          try await relay.answer(head, body, visitor, sink)
        } catch {
          // The reader is gone, or too slow.
          sink.close()
        }
      }
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { startTimer(context) }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// For the next request to be whole.
  private func startTimer(_ context: ChannelHandlerContext) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: TimeAmount(RelayLimits.requestAtMost)) { channel.close(promise: nil) }
  }

  private static func refusal(of head: HTTPRequestHead) -> Problem? {
    let bytes = head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    if bytes > RelayLimits.headBytesMax {
      return Problem(431, rule: Problem.Rule.head, "the request head has more than \(RelayLimits.headBytesMax) bytes")
    }
    guard head.headers.count > RelayLimits.headFieldsMax else { return nil }
    return Problem(431, rule: Problem.Rule.head, "the request head has more than \(RelayLimits.headFieldsMax) fields")
  }
}
