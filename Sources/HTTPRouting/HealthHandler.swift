package import HTTPServing

/// Answers on a health socket: to anybody, without details that are not for everybody.
package struct HealthHandler: RequestHandler {
  /// A request that no probe answers.
  package enum Unanswered: Sendable {
    case nothing(path: Substring)
    /// The path allows only GET.
    case wrongMethod(String)
    case refused(Refusal)
  }

  private let source: any HealthSource
  private let bodyBytesMax: Int
  private let response: @Sendable (Unanswered) -> Response

  /// `response`: the words of the process for an unanswered request.
  package init(
    source: any HealthSource, bodyBytesMax: Int, response: @escaping @Sendable (Unanswered) -> Response
  ) {
    self.source = source
    self.bodyBytesMax = bodyBytesMax
    self.response = response
  }

  package func standing(of client: Client) -> Standing {
    if case .peer(let peer) = client, peer.uid == 0 { .root } else { .ordinary }
  }

  package func response(to refusal: Refusal, of head: RequestHead?) -> Response { response(.refused(refusal)) }

  package func receive(_ head: RequestHead, from client: Client) -> RouteResult {
    let answer: (@Sendable () async -> Response)? =
      switch head.path {
      case "/health/live": { .json(#"{"status":"live"}"#) }
      case "/health/ready": { [source] in .json(await source.readiness, status: await source.isReady ? 200 : 503) }
      case "/metrics":
        { [source] in .text(await source.metrics, contentType: "text/plain; version=0.0.4; charset=utf-8") }
      default: nil
      }
    guard let answer else { return .response(response(.nothing(path: head.path))) }
    guard head.method == "GET" else { return .response(response(.wrongMethod(head.method))) }
    return .work(bodyBytesMax: bodyBytesMax) { _ in await answer() }
  }
}
