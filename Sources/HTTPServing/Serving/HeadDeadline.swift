import NIOCore

/// Closes a connection on which a head has begun and does not end: a byte now and then does not help.
///
/// It stands before the decoder, and sees bytes; what they mean it is told. A head that begins in the last bytes of the
/// request before it is bounded by the time for which a connection may be silent.
final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let limit: Duration
  private var isAwaited = true
  private var hasComeMeanwhile = false
  private var timer: Scheduled<Void>?

  init(limit: Duration) {
    self.limit = limit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasComeMeanwhile = false
    context.fireChannelRead(data)
    guard isAwaited, !hasComeMeanwhile, timer == nil else { return }
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
  }

  /// A head is complete.
  func noteHead() {
    (isAwaited, hasComeMeanwhile) = (false, true)
    timer?.cancel()
    timer = nil
  }

  /// A request has come to its end: the next thing is a head. The bytes that ended it began none.
  func noteEnd() { (isAwaited, hasComeMeanwhile) = (true, true) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
}
