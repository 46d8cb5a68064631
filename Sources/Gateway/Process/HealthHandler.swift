import ControlAPI
import HTTPServing
import HTTPTypes

/// Answers on the health socket: to anybody of this machine, and nothing that anybody may not know.
struct HealthHandler: RequestHandler {
  let isReady: @Sendable () -> Bool
  let metrics: @Sendable () async -> String

  func standing(of client: Client) -> Standing {
    if case .peer(let peer) = client, peer.uid == 0 { .root } else { .ordinary }
  }

  func response(to refusal: Refusal, of head: RequestHead?) -> Response {
    let error = GatewayError(refusal)
    return Self.problem(error.status, error.rule, error.message)
  }

  func receive(_ head: RequestHead, from client: Client) async -> RouteResult {
    guard ["/health/live", "/health/ready", "/metrics"].contains(head.path) else {
      return .response(Self.problem(404, "path", "there is nothing at this path"))
    }
    guard head.method == "GET" else {
      var response = Self.problem(405, "method", "only GET is allowed here")
      response.fields[.allow] = "GET"
      return .response(response)
    }
    switch head.path {
    case "/health/live": return .response(Self.json(200, #"{"status":"live"}"#))
    case "/health/ready":
      let isReady = isReady()
      return .response(Self.json(isReady ? 200 : 503, #"{"ready":\#(isReady)}"#))
    default:
      return .response(
        Self.fresh(
          Response(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: await metrics())))
    }
  }

  private static func json(_ status: Int, _ body: String) -> Response {
    fresh(Response(status: status, contentType: "application/json", body: body))
  }

  private static func problem(_ status: Int, _ rule: String, _ detail: String) -> Response {
    fresh(
      Response(
        status: status, contentType: Problem.contentType, body: Problem(status, rule: rule, detail).json))
  }

  private static func fresh(_ response: Response) -> Response {
    var response = response
    response.fields[.cacheControl] = "no-store"
    return response
  }
}
