import HTTPTypes
import NIOCore

/// Answers a caller that there are too many connections, and closes.
///
/// A connection that is closed while its caller still sends loses what it was told. So the caller is listened to until
/// it hangs up, for at most a second.
final class RefusedConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let lingersAtMost: Duration = .seconds(1)

  private let lingers: Bool
  private let text: String

  init(_ response: Response, lingers: Bool) {
    self.lingers = lingers
    text = Self.text(response)
  }

  private static func text(_ response: Response) -> String {
    let head = response.head(closes: true)
    let fields = head.headerFields.map { "\($0.name.canonicalName): \($0.value)\r\n" }.joined()
    return "HTTP/1.1 \(response.status) \(head.status.reasonPhrase)\r\n\(fields)\r\n\(response.body)"
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    guard lingers else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    let timer = context.eventLoop.scheduleTask(in: TimeAmount(Self.lingersAtMost)) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in timer.cancel() }
  }

  /// The bytes of a refused caller are not read.
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
