import NIOCore
import NIOHTTP1

/// Collects the one answer of a connection.
final class AnswerReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  /// More than any command answers; a daemon gone wrong must not fill the client's memory.
  private static let bytesMax = 256 * 1024 * 1024

  private let path: String
  private let answer: EventLoopPromise<ControlResponse>
  private var status = 0
  private var body = ByteBuffer()

  init(path: String, answer: EventLoopPromise<ControlResponse>) {
    self.path = path
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): status = Int(head.status.code)
    case .body(var piece):
      guard body.readableBytes + piece.readableBytes <= Self.bytesMax else {
        return answer.fail(ControlClientError(.malformed, path: path, "it is too long"))
      }
      body.writeBuffer(&piece)
    case .end: answer.succeed(ControlResponse(status: status, body: String(buffer: body)))
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(ControlClientError(.malformed, path: path, "\(error)"))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(ControlClientError(.noAnswer, path: path, "the connection was closed"))
  }
}
