import ControlAPI
import HTTPServing
import HTTPTypes
import TextCoding

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
      .object(
        ["type": .text, "title": .text, "status": .integer, "detail": .text, "rule": .text],
        optional: ["withdrawablePence": .integer, "until": .instant, "retry": .boolean])
    case .seasons, .talks: .object(["error": .text, "rule": .text])
    case .gread: .object(["code": .text, "message": .text, "data": .object(["status": .integer])])
    case .checkin:
      .object(["error": .text, "message": .text, "rule": .text], optional: ["dateKey": .text])
    }
  }

  private static func problem(_ error: GatewayError) -> Response {
    let problem = Problem(error.status, rule: error.rule, error.message)
    // Of a withdrawal that comes too early, and whether an entry may succeed soon. An app shows nothing else of a
    // rule's detail.
    let isShown = ["resting", "not-proved"].contains(error.rule)
    let more = isShown ? error.more.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } : []
    let members = [
      ("type", JSONText.quoted(problem.type)), ("title", JSONText.quoted(problem.title)),
      ("status", String(problem.status)), ("detail", JSONText.quoted(problem.detail)),
      ("rule", JSONText.quoted(problem.rule)),
    ]
    return Response(status: error.status, contentType: Problem.contentType, body: JSONText.object(members + more))
  }

  private static func checkin(_ error: GatewayError) -> Response {
    // The day, where there was a check-in already: the app shows nothing else of a rule's detail.
    let day = error.more["dateKey"].map { [("dateKey", $0)] } ?? []
    return object(
      error.status,
      [
        ("error", JSONText.quoted(checkinTitle(error))), ("message", JSONText.quoted(error.message)),
        ("rule", JSONText.quoted(error.rule)),
      ] + day)
  }

  /// By status, as the app shows it; a second check-in of a day has a text of its own.
  private static func checkinTitle(_ error: GatewayError) -> String {
    switch (error.status, error.rule) {
    case (409, "already-checked-in"): "Daily check-in already completed"
    case (400, _): "Invalid request"
    case (401, _): "Unauthorized"
    case (403, _): "Forbidden"
    case (404, "path"): "Not found"
    case (404, _): "User not found"
    case (409, _): "Conflict"
    case (500, _): "Server error"
    case (503, _): "Service unavailable"
    default: Problem(error.status, rule: error.rule, "").title
    }
  }

  /// As WordPress words it: a bad token is 403 there.
  private static func wordPress(_ error: GatewayError) -> Response {
    let (status, code) = System.gread.shown(error.status, error.rule)
    return object(
      status,
      [
        ("code", JSONText.quoted(code)), ("message", JSONText.quoted(error.message)),
        ("data", JSONText.object([("status", String(status))])),
      ])
  }

  /// A refusal as errors show it: the status, and the rule or WordPress's code for it.
  func shown(_ status: Int, _ rule: String) -> (status: Int, rule: String) {
    guard case .gread = self else { return (status, rule) }
    return (rule == "token" && status == 401 ? 403 : status, Self.wordPressCode(status, rule))
  }

  private static func wordPressCode(_ status: Int, _ rule: String) -> String {
    switch (status, rule) {
    case (401, "token"): "jwt_auth_invalid_token"
    case (403, "invalid-credentials"): "invalid_credentials"
    case (401, _), (403, _): "rest_forbidden"
    case (404, "path"), (405, "method"): "rest_no_route"
    case (404, let thing): snakeCase(thing) + "_not_found"
    case (400, "json"): "rest_invalid_json"
    case (400, _): "rest_invalid_param"
    case (409, _): "rest_conflict"
    default: snakeCase(rule)
    }
  }

  private static func snakeCase(_ rule: String) -> String { String(rule.map { $0 == "-" ? "_" : $0 }) }

  private static func json(_ status: Int, _ members: [(String, String)]) -> Response {
    object(status, members.map { ($0.0, JSONText.quoted($0.1)) })
  }

  private static func object(_ status: Int, _ members: [(String, String)]) -> Response {
    Response(status: status, contentType: "application/json", body: JSONText.object(members))
  }
}
