import NIOCore
import NIOHTTP1
import NIOPosix

/// A call that the provider makes itself, over plain HTTP: it validates a callback, or hints at a change.
struct OutgoingCall: Sendable {
  let method: HTTPMethod
  let url: String
  var body = ""

  /// As long as the real provider waits.
  private static let answerWithin: TimeAmount = .seconds(2)

  struct Answer: Sendable {
    /// 0 where none came in time.
    var status = 0
    var body = ""
  }

  /// Never fails.
  func send(on loop: any EventLoop) -> EventLoopFuture<Answer> {
    let promise = loop.makePromise(of: Answer.self)
    guard let target = Target(url) else {
      promise.succeed(Answer())
      return promise.futureResult
    }
    let timer = loop.scheduleTask(in: Self.answerWithin) { promise.succeed(Answer()) }
    promise.futureResult.whenComplete { _ in timer.cancel() }
    ClientBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(OutgoingHandler(self, target, promise))
        }
      }
      .connect(host: target.host, port: target.port)
      .whenFailure { _ in promise.succeed(Answer()) }
    return promise.futureResult
  }

  /// The parts of `http://HOST:PORT/PATH`.
  struct Target: Sendable {
    let host: String
    let port: Int
    let path: String

    init?(_ url: String) {
      guard url.hasPrefix("http://") else { return nil }
      let rest = url.dropFirst("http://".count)
      let authority = rest.prefix { $0 != "/" }
      let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2, let host = parts.first, let port = parts.count == 2 ? Int(parts[1]) : 80 else {
        return nil
      }
      (self.host, self.port, path) = (String(host), port, String(rest.dropFirst(authority.count)))
    }
  }
}

/// Sends the call as soon as there is a connection, and collects its answer.
private final class OutgoingHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let call: OutgoingCall
  private let target: OutgoingCall.Target
  private let promise: EventLoopPromise<OutgoingCall.Answer>
  private var answer = OutgoingCall.Answer()

  init(_ call: OutgoingCall, _ target: OutgoingCall.Target, _ promise: EventLoopPromise<OutgoingCall.Answer>) {
    (self.call, self.target, self.promise) = (call, target, promise)
  }

  func channelActive(context: ChannelHandlerContext) {
    var head = HTTPRequestHead(version: .http1_1, method: call.method, uri: target.path)
    head.headers.add(name: "Host", value: "\(target.host):\(target.port)")
    head.headers.add(name: "Connection", value: "close")
    if call.method == .POST {
      head.headers.add(name: "Content-Type", value: "application/json")
      head.headers.add(name: "Content-Length", value: "\(call.body.utf8.count)")
    }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !call.body.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: call.body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): answer.status = Int(head.status.code)
    case .body(let piece): answer.body += String(buffer: piece)
    case .end:
      promise.succeed(answer)
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { promise.succeed(OutgoingCall.Answer()) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
