import NIOCore
import NIOHTTP1

/// Collects the calls of one connection, and answers each before the next.
final class CallHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private static let bodyBytesMax = 64 << 20

  private let provider: Provider
  private var call: ProviderCall?
  /// The answer that is not written yet, or never will be.
  private var inHand: (ticket: Ticket, answer: ProviderResponse)?

  init(_ provider: Provider) {
    self.provider = provider
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      switch provider.arrival(head) {
      case .away: context.close(promise: nil)
      case .control: call = ProviderCall(head, ticket: nil)
      case .provider(let ticket): call = ProviderCall(head, ticket: ticket)
      }
    case .body(var piece):
      call?.body.writeBuffer(&piece)
      if call?.body.readableBytes ?? 0 > Self.bodyBytesMax { context.close(promise: nil) }
    case .end:
      guard let call else { return }
      self.call = nil
      answer(call, context)
    }
  }

  private func answer(_ call: ProviderCall, _ context: ChannelHandlerContext) {
    let answer = provider.answer(call)
    guard let callback = answer.callback else { return send(answer, to: call, context) }
    callback.send(on: context.eventLoop).assumeIsolated().whenSuccess { outcome in
      let answer = self.provider.complete(answer, to: call, after: outcome)
      if context.channel.isActive { self.send(answer, to: call, context) }
    }
  }

  private func send(_ answer: ProviderResponse, to call: ProviderCall, _ context: ChannelHandlerContext) {
    if let ticket = call.ticket { inHand = (ticket, answer) }
    guard answer.delayMs > 0 else { return deliver(answer, to: call, context) }
    context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(answer.delayMs))) {
      if context.channel.isActive { self.deliver(answer, to: call, context) }
    }
  }

  private func deliver(_ answer: ProviderResponse, to call: ProviderCall, _ context: ChannelHandlerContext) {
    switch answer.delivery {
    case .never: break
    case .reset:
      finish(wasWritten: false)
      context.reset()
    case .whole:
      write(answer, context, body: answer.body) { wasWritten in
        if !call.isKeptAlive || !wasWritten { context.close(promise: nil) }
      }
    case .cut:
      write(answer, context, body: String(answer.body.prefix(answer.body.count / 2))) { _ in
        context.close(promise: nil)
      }
    case .endless:
      writeHead(answer, context, ("Transfer-Encoding", "chunked"))
      writeEndlessly(context)
    }
  }

  private func writeHead(_ answer: ProviderResponse, _ context: ChannelHandlerContext, _ length: (String, String)) {
    var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
    headers.add(name: "Content-Type", value: answer.contentType)
    headers.add(name: length.0, value: length.1)
    let status = HTTPResponseStatus(statusCode: answer.status)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
  }

  /// Writes a head that tells the length of the answer's body, and as much of it as is given.
  private func write(
    _ answer: ProviderResponse, _ context: ChannelHandlerContext, body: String, _ done: @escaping (Bool) -> Void
  ) {
    writeHead(answer, context, ("Content-Length", "\(answer.body.utf8.count)"))
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { result in
      let wasWritten = (try? result.get()) != nil
      self.finish(wasWritten: wasWritten)
      done(wasWritten)
    }
  }

  private func writeEndlessly(_ context: ChannelHandlerContext) {
    let piece = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 16)
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().whenSuccess {
      // The pause keeps the thread, and the machine, for others too.
      context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { self.writeEndlessly(context) }
    }
  }

  private func finish(wasWritten: Bool) {
    guard let (ticket, answer) = inHand else { return }
    inHand = nil
    provider.finished(answer, ticket, wasWritten: wasWritten)
  }

  func channelInactive(context: ChannelHandlerContext) { finish(wasWritten: false) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
