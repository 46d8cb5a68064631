import NIOCore
import NIOHTTP1
import NIOPosix

/// A control socket at which a test answers in place of a daemon.
package struct StandInDaemon: Sendable {
  package struct Answer: Sendable {
    package let status: Int
    package let body: String

    package static func json(_ body: String, status: Int = 200) -> Answer { Answer(status: status, body: body) }
  }

  package let path: String
  private let directory: ScratchDirectory

  /// - Parameter answer: the one to a target; nil: the connection stays open without one.
  package init(_ answer: @escaping @Sendable (_ target: String) async -> Answer?) async throws {
    directory = try ScratchDirectory()
    path = directory.path + "/control.sock"
    _ = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(StandInExchange(answer))
        }
      }
      .bind(unixDomainSocketPath: path).get()
  }
}

/// Answers the one request of a connection.
private final class StandInExchange: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let answer: @Sendable (String) async -> StandInDaemon.Answer?
  private var target = ""

  init(_ answer: @escaping @Sendable (String) async -> StandInDaemon.Answer?) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): target = head.uri
    case .body: break
    case .end:
      let (channel, target, answer) = (context.channel, target, answer)
      Task {
        guard let answer = await answer(target) else { return }
        let headers: HTTPHeaders = ["Content-Length": String(answer.body.utf8.count), "Connection": "close"]
        let head = HTTPResponseHead(
          version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: answer.body))), promise: nil)
        try? await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        try? await channel.close()
      }
    }
  }
}
