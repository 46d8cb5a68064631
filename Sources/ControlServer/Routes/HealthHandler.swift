import ControlAPI
import HTTPServing

/// Answers on the health socket: to anybody, and nothing that anybody may not know.
struct HealthHandler: RequestHandler {
  let source: any HealthSource
  let bodyBytesMax: Int

  func standing(of client: Client) -> Standing {
    if case .peer(let peer) = client, peer.uid == 0 { .root } else { .ordinary }
  }

  func response(to refusal: Refusal, of head: RequestHead?) -> Response { .refusal(refusal) }

  func receive(_ head: RequestHead, from client: Client) -> RouteResult {
    let answer: (@Sendable () async -> Response)? =
      switch head.path {
      case "/health/live": { .json(#"{"status":"live"}"#) }
      case "/health/ready": { [source] in .json(await source.readiness, status: await source.isReady ? 200 : 503) }
      case "/metrics":
        { [source] in .text(await source.metrics, contentType: "text/plain; version=0.0.4; charset=utf-8") }
      default: nil
      }
    guard let answer else { return .response(.notFound(head.path)) }
    guard head.method == "GET" else { return .response(.wrongMethod(head.method, allowed: ["GET"])) }
    return .work(bodyBytesMax: bodyBytesMax) { _ in await answer() }
  }
}
