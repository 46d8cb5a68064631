import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is no HTTP, too much of it, or a body that does not come, with a refusal, and closes.
///
/// Where an earlier request is still being answered, the error goes on, and the connection ends behind that answer.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private var requests = 0
  /// Of the youngest request.
  private var head: HTTPRequest?
  /// Whether more of the youngest request is to come, and its answer has not begun.
  private var isBodyOpen = false {
    didSet { if !isBodyOpen { timer?.cancel() } }
  }
  private var timer: Scheduled<Void>?
  private var heads: HeadDeadline?
  private let handler: any RequestHandler
  private let bodies: BodyTracker
  private let departures: Departures
  private let bodyAtMost: Duration

  /// `bodyAtMost`: how long a body may take to arrive.
  init(_ handler: any RequestHandler, _ bodies: BodyTracker, _ departures: Departures, bodyAtMost: Duration) {
    self.handler = handler
    self.bodies = bodies
    self.departures = departures
    self.bodyAtMost = bodyAtMost
  }

  func handlerAdded(context: ChannelHandlerContext) {
    heads = try? context.pipeline.syncOperations.handler(type: HeadDeadline.self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      heads?.noteHead()
      requests += 1
      self.head = head
      isBodyOpen = true
      timer?.cancel()
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(bodyAtMost)) { [bodyAtMost] in
        guard self.isBodyOpen, self.requests == 1 else { return }
        self.answer(.bodyLate(limit: bodyAtMost), context)
      }
    case .body: break
    case .end:
      heads?.noteEnd()
      isBodyOpen = false
      bodies.noteEnd()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data), head.status.kind != .informational { isBodyOpen = false }
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    requests -= 1
    let gone = promise ?? context.eventLoop.makePromise()
    gone.futureResult.whenComplete { [departures] _ in departures.noteGone() }
    context.write(data, promise: gone)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let isCutOff = requests == 1 && isBodyOpen
    guard error is HTTPParserError, requests == 0 || isCutOff else { return context.fireErrorCaught(error) }
    let isTooLarge = error as? HTTPParserError == .headerOverflow
    answer(isCutOff ? .bodyCutOff : isTooLarge ? .headTooLarge : .notHTTP, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  /// Writes it as the last thing on this connection.
  private func answer(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    let response = handler.response(to: refusal, of: isBodyOpen ? head.map { RequestHead($0) } : nil)
    isBodyOpen = false
    let body = ByteBuffer(string: response.body)
    var head = HTTPResponse(status: .init(code: response.status), headerFields: response.fields)
    head.headerFields[.contentLength] = String(body.readableBytes)
    head.headerFields[.connection] = "close"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
