import NIOCore
import NIOHTTP1
import NIOPosix

/// A reply over HTTP.
package struct LoopbackAnswer: Sendable {
  package let status: Int
  package let body: String
  private let headers: HTTPHeaders

  fileprivate init(_ head: HTTPResponseHead, _ body: ByteBuffer) {
    status = Int(head.status.code)
    headers = head.headers
    self.body = String(buffer: body)
  }

  package func header(_ name: String) -> String? { headers.first(name: name) }
}

/// Asks a server of the loopback, or one behind a unix socket, over HTTP/1.1, with a connection for each call.
package struct LoopbackClient: Sendable {
  /// The connection ended, closed or reset, before the answer was whole.
  package struct Lost: Error {}

  private enum Address: Sendable {
    case port(String, Int)
    case socket(String)
  }

  private let address: Address

  /// - Parameter host: an address of this machine.
  package init(host: String = "127.0.0.1", port: Int) {
    address = .port(host, port)
  }

  /// - Parameter path: of the unix socket.
  package init(socket path: String) {
    address = .socket(path)
  }

  /// Sends a POST where there is a body, and a GET otherwise; whoever is cancelled closes the connection.
  package func call(
    _ target: String, body: String? = nil, headers: KeyValuePairs<String, String> = [:]
  ) async throws -> LoopbackAnswer {
    try await call(target, body: body, fields: headers.map { ($0.key, $0.value) })
  }

  package func call(
    _ target: String, body: String?, fields: [(String, String)]
  ) async throws -> LoopbackAnswer {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: LoopbackAnswer.self)
    let request = request(target, body, fields)
    do {
      let bootstrap = ClientBootstrap(group: loop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(LoopbackExchange(request, body: body ?? "", answer: answer))
          }
        }
      let channel =
        switch address {
        case .port(let host, let port): try await bootstrap.connect(host: host, port: port).get()
        case .socket(let path): try await bootstrap.connect(unixDomainSocketPath: path).get()
        }
      return try await withTaskCancellationHandler {
        try await answer.futureResult.get()
      } onCancel: {
        channel.close(promise: nil)
      }
    } catch {
      answer.fail(error)
      throw error
    }
  }

  private func request(
    _ target: String, _ body: String?, _ given: [(String, String)]
  ) -> HTTPRequestHead {
    var fields = HTTPHeaders(given)
    fields.add(name: "Host", value: "127.0.0.1")
    fields.add(name: "Connection", value: "close")
    if let body { fields.add(name: "Content-Length", value: "\(body.utf8.count)") }
    return HTTPRequestHead(version: .http1_1, method: body == nil ? .GET : .POST, uri: target, headers: fields)
  }
}

/// Asks once the connection is there, and collects its one answer.
private final class LoopbackExchange: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: HTTPRequestHead
  private let requestBody: String
  private let answer: EventLoopPromise<LoopbackAnswer>
  private var head: HTTPResponseHead?
  private var body = ByteBuffer()

  init(_ request: HTTPRequestHead, body: String, answer: EventLoopPromise<LoopbackAnswer>) {
    self.request = request
    requestBody = body
    self.answer = answer
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(request)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: requestBody)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(var piece): body.writeBuffer(&piece)
    case .end:
      if let head { answer.succeed(LoopbackAnswer(head, body)) }
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { answer.fail(LoopbackClient.Lost()) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(LoopbackClient.Lost())
    context.close(promise: nil)
  }
}
