import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is no HTTP, too much of it, or a body that does not come, with a problem, and closes.
///
/// Where an earlier request is still being answered, the error goes on, and the connection ends behind that answer.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private var requests = 0
  /// Whether more of the youngest request is to come, and its answer has not begun.
  private var isBodyOpen = false {
    didSet { if !isBodyOpen { timer?.cancel() } }
  }
  private var timer: Scheduled<Void>?
  private let arrivals: Arrivals
  private let departures: Departures
  private let bodyAtMost: Duration

  /// `bodyAtMost`: how long a body may take to arrive.
  init(_ arrivals: Arrivals, _ departures: Departures, bodyAtMost: Duration) {
    self.arrivals = arrivals
    self.departures = departures
    self.bodyAtMost = bodyAtMost
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      requests += 1
      isBodyOpen = true
      timer?.cancel()
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(bodyAtMost)) { [bodyAtMost] in
        guard self.isBodyOpen, self.requests == 1 else { return }
        let problem = Problem(408, rule: Problem.Rule.timeout, "the body did not come within \(bodyAtMost)")
        self.answer(problem, context)
      }
    case .body: break
    case .end:
      isBodyOpen = false
      arrivals.noteEnd()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head = unwrapOutboundIn(data) { isBodyOpen = false }
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
    let problem =
      isCutOff
      ? Problem(400, rule: Problem.Rule.body, "the body ended before its length, or is not what its head says")
      : Problem(
        isTooLarge ? 431 : 400, rule: Problem.Rule.head,
        isTooLarge ? "the request's head is too large" : "this is not an HTTP/1.1 request")
    answer(problem, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  /// Writes it as the last thing on this connection.
  private func answer(_ problem: Problem, _ context: ChannelHandlerContext) {
    isBodyOpen = false
    let body = ByteBuffer(string: problem.json)
    var head = HTTPResponse(status: .init(code: problem.status))
    head.headerFields[.contentType] = Problem.contentType
    head.headerFields[.contentLength] = String(body.readableBytes)
    head.headerFields[.connection] = "close"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
