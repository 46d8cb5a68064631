import ControlAPI
import NIOCore

/// Tells a caller that there are too many connections, and closes.
///
/// A connection that is closed while its caller still sends loses what it was told. So the caller is listened to until
/// it hangs up, for at most a second.
final class Refusal: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let lingersAtMost: Duration = .seconds(1)

  private let lingers: Bool

  init(lingers: Bool) {
    self.lingers = lingers
  }

  private static let text: String = {
    let problem = Problem(
      503, rule: Problem.Rule.connections, "the daemon has as many connections as it takes; try again in a moment"
    ).json
    return """
      HTTP/1.1 503 Service Unavailable\r\nContent-Type: \(Problem.contentType)\r\n\
      Content-Length: \(problem.utf8.count)\r\nConnection: close\r\nRetry-After: 1\r\n\r\n\(problem)
      """
  }()

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.text)), promise: nil)
    guard lingers else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    let timer = context.eventLoop.scheduleTask(in: TimeAmount(Self.lingersAtMost)) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in timer.cancel() }
  }

  /// What a refused caller sends is not looked at.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed, is ChannelShouldQuiesceEvent: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
