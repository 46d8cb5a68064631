import ControlAPI
import HTTPServing
import HTTPTypes

/// How each system words an error.
extension System {
  func response(to error: GatewayError) -> Response {
    var response =
      switch self {
      case .racepace: Self.problem(error)
      case .seasons, .talks: Self.json(error.status, [("error", error.message), ("rule", error.rule)])
      case .gread: Self.wordPress(error)
      case .checkin: Self.checkin(error)
      }
    if let seconds = error.retryAfter { response.fields[.retryAfter] = String(seconds) }
    if response.status == 401 { response.fields[.wwwAuthenticate] = "Bearer" }
    return response
  }

  var errorContentType: String { self == .racepace ? Problem.contentType : "application/json" }

  /// The shape of an error.
  var errorSchema: AnswerSchema {
    switch self {
    case .racepace:
      .object(["type": .text, "title": .text, "status": .integer, "detail": .text, "rule": .text])
    case .seasons, .talks: .object(["error": .text, "rule": .text])
    case .gread: .object(["code": .text, "message": .text, "data": .object(["status": .integer])])
    case .checkin:
      .object(["error": .text, "message": .text, "rule": .text], optional: ["dateKey": .text, "key": .text])
    }
  }

  private static func problem(_ error: GatewayError) -> Response {
    let problem = Problem(error.status, rule: error.rule, error.message)
    return Response(status: error.status, contentType: Problem.contentType, body: problem.json)
  }

  private static func checkin(_ error: GatewayError) -> Response {
    // The words that the document gives for a second check-in of a day.
    let title =
      error.rule == "already-checked-in"
      ? "Daily check-in already completed" : Problem(error.status, rule: error.rule, "").title
    let more = error.more.filter { checkinMembers.contains($0.key) }.sorted { $0.key < $1.key }
    return object(
      error.status,
      [
        ("error", JSONText.quoted(title)), ("message", JSONText.quoted(error.message)),
        ("rule", JSONText.quoted(error.rule)),
      ] + more.map { ($0.key, $0.value) })
  }

  /// What an error of check-ins may say besides: the day, or the key of the body that is not known.
  private static let checkinMembers: Set = ["dateKey", "key"]

  /// As WordPress words it: a bad token is 403 there.
  private static func wordPress(_ error: GatewayError) -> Response {
    let status = error.rule == "token" && error.status == 401 ? 403 : error.status
    return object(
      status,
      [
        ("code", JSONText.quoted(wordPressCode(error))), ("message", JSONText.quoted(error.message)),
        ("data", JSONText.object([("status", String(status))])),
      ])
  }

  private static func wordPressCode(_ error: GatewayError) -> String {
    switch (error.status, error.rule) {
    case (401, "token"): "jwt_auth_invalid_token"
    case (401, _), (403, "identity"), (403, "self"), (403, "role"): "rest_forbidden"
    case (404, "path"), (405, "method"): "rest_no_route"
    case (400, "json"): "rest_invalid_json"
    default: String(error.rule.map { $0 == "-" ? "_" : $0 })
    }
  }

  private static func json(_ status: Int, _ members: [(String, String)]) -> Response {
    object(status, members.map { ($0.0, JSONText.quoted($0.1)) })
  }

  private static func object(_ status: Int, _ members: [(String, String)]) -> Response {
    Response(status: status, contentType: "application/json", body: JSONText.object(members))
  }
}
