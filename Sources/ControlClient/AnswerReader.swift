import ControlAPI
import NIOCore
import NIOHTTP1

/// Sends the request once connected, and collects its one answer.
///
/// The request is written before anything is read: a daemon with too many connections answers before a request.
final class AnswerReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: ControlRequest
  private let path: String
  private let bytesMax: Int
  private let answer: EventLoopPromise<ControlResponse>
  private var status = 0
  private var body = ByteBuffer()

  init(_ request: ControlRequest, path: String, bytesMax: Int, answer: EventLoopPromise<ControlResponse>) {
    self.request = request
    self.path = path
    self.bytesMax = bytesMax
    self.answer = answer
  }

  func channelActive(context: ChannelHandlerContext) {
    let body = ByteBuffer(string: request.body ?? "")
    var headers: HTTPHeaders = ["Host": "settled", "Connection": "close", "Accept": "application/json"]
    if request.isPost {
      headers.add(name: "Content-Type", value: "application/json")
      headers.add(name: "Content-Length", value: String(body.readableBytes))
    }
    if let id = request.requestId { headers.add(name: ControlDefaults.requestIdHeader, value: id) }
    let head = HTTPRequestHead(
      version: .http1_1, method: request.isPost ? .POST : .GET, uri: request.target, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.isPost { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): status = Int(head.status.code)
    case .body(var piece):
      guard body.readableBytes + piece.readableBytes <= bytesMax else {
        answer.fail(ControlClientError(.malformed, path: path, "it has more than \(bytesMax) bytes"))
        return context.close(promise: nil)
      }
      body.writeBuffer(&piece)
    case .end: answer.succeed(ControlResponse(status: status, body: String(buffer: body)))
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A broken connection proves nothing about the daemon.
    let code: ControlClientError.Code = error is IOError ? .noAnswer : .malformed
    answer.fail(ControlClientError(code, path: path, "\(error)"))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(ControlClientError(.noAnswer, path: path, "the connection was closed"))
  }
}
