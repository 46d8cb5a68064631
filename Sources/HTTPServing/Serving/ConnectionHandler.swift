import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Turns a channel's events into those of its `ConnectionState`, and carries out the actions that follow.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let owner: ConnectionOwner
  private let handler: any RequestHandler
  private let limits: ServingLimits
  private var timer: Scheduled<Void>?

  init(_ owner: ConnectionOwner, _ handler: any RequestHandler, _ limits: ServingLimits) {
    self.owner = owner
    self.handler = handler
    self.limits = limits
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): perform(owner.update { $0.headCompleted(head) }, context)
    case .body: break
    case .end: perform(owner.update { $0.requestEnded() }, context)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    perform(owner.update { $0.readCompleted() }, context)
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind != .informational:
      perform(owner.update { $0.responseBegan() }, context)
    case .head, .body: break
    case .end:
      let flushed = promise ?? context.eventLoop.makePromise()
      flushed.futureResult.whenComplete { [owner] _ in owner.update { $0.responseFlushed() } }
      context.write(data, promise: flushed)
      return perform(owner.update { $0.responseEnded() }, context)
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let failure = error as? HTTPParserError,
      let action = owner.update({ $0.parserFailed(isHeadTooLarge: failure == .headerOverflow) })
    else { return context.fireErrorCaught(error) }
    perform(action, context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { return perform(owner.update { $0.drainBegan() }, context) }
    if case ChannelEvent.inputClosed = event { perform(owner.update { $0.inputEnded() }, context) }
    context.fireUserInboundEventTriggered(event)
  }

  func handlerRemoved(context: ChannelHandlerContext) { perform(owner.update { $0.closed() }, context) }

  private func perform(_ action: ConnectionState.Action?, _ context: ChannelHandlerContext) {
    switch action {
    case .startTimer(let wait): start(wait, context)
    case .stopTimer: timer?.cancel()
    case .refuse(let refusal, let head):
      timer?.cancel()
      write(handler.response(to: refusal, of: head.map { RequestHead($0) }), context)
      context.close(promise: nil)
    case .closeAfterFlush:
      context.flush()
      context.close(promise: nil)
    case .close: context.close(promise: nil)
    case nil: break
    }
  }

  private func start(_ wait: ConnectionState.Wait, _ context: ChannelHandlerContext) {
    timer?.cancel()
    let limit = wait == .head ? limits.headAtMost : limits.bodyAtMost
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
      self.perform(self.owner.update { $0.timerFired(wait) }, context)
    }
  }

  private func write(_ response: Response, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(response.head(closes: true))), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(string: response.body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
