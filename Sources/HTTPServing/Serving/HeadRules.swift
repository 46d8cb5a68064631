import HTTPTypes
import NIOCore
import NIOHTTP1

/// Refuses the heads that RFC 9112 has refused, before their versions and hosts are lost to swift-http-types.
///
/// HTTP/1.1 has exactly one Host (3.2), and HTTP/1.0 no Transfer-Encoding (6.1). Without `keep-alive` an HTTP/1.0
/// client waits for the end of the connection (9.3), so it gets `Connection: close`. A refusal is an error of the
/// parser: what came before it is answered, and nothing after it.
final class HeadRules: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private var hasRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasRefused else { return }
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    if (head.version.major, head.version.minor) < (1, 1) {
      guard !head.headers.contains(name: "Transfer-Encoding") else { return refuse(context) }
      let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
      if !options.contains("keep-alive") || options.contains("close") {
        head.headers.replaceOrAdd(name: "Connection", value: "close")
      }
    } else {
      guard head.headers["Host"].count == 1 else { return refuse(context) }
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func refuse(_ context: ChannelHandlerContext) {
    hasRefused = true
    context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
  }
}
