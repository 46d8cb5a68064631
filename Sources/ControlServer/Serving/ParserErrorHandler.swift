import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is no HTTP, or too much of it, with a problem, and closes.
///
/// Where a request is still being read or answered, the error goes on, and the connection ends behind that answer.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private var requests = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) { requests += 1 }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { requests -= 1 }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError, requests == 0 else { return context.fireErrorCaught(error) }
    let isTooLarge = error as? HTTPParserError == .headerOverflow
    let problem = Problem(
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
