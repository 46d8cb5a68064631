import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is no HTTP, or too much of it, with a problem, and closes.
///
/// Where an earlier request is still being answered, the error goes on, and the connection ends behind that answer.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private var requests = 0
  /// Whether the youngest request has come to its end, or its answer has begun.
  private var isBodyOpen = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      requests += 1
      isBodyOpen = true
    case .body: break
    case .end: isBodyOpen = false
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head = unwrapOutboundIn(data) { isBodyOpen = false }
    if case .end = unwrapOutboundIn(data) { requests -= 1 }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let isCutOff = requests == 1 && isBodyOpen
    guard error is HTTPParserError, requests == 0 || isCutOff else { return context.fireErrorCaught(error) }
    isBodyOpen = false
    let isTooLarge = error as? HTTPParserError == .headerOverflow
    let problem =
      isCutOff
      ? Problem(400, rule: Problem.Rule.body, "the body ended before its length, or is not what its head says")
      : Problem(
        isTooLarge ? 431 : 400, rule: Problem.Rule.head,
        isTooLarge ? "the request's head is too large" : "this is not an HTTP/1.1 request")
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
