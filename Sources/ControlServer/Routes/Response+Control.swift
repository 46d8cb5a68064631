import ControlAPI
import HTTPServing
import HTTPTypes

extension Response {
  static func json(_ body: String, status: Int = 200) -> Response {
    fresh(Response(status: status, contentType: "application/json", body: body))
  }

  static func text(_ body: String, contentType: String) -> Response {
    fresh(Response(status: 200, contentType: contentType, body: body))
  }

  static func problem(_ problem: Problem) -> Response {
    fresh(Response(status: problem.status, contentType: Problem.contentType, body: problem.json))
  }

  static func notFound(_ path: some StringProtocol) -> Response {
    problem(Problem(404, rule: Problem.Rule.path, "there is nothing at \(path)"))
  }

  /// Says which methods the path allows.
  static func wrongMethod(_ method: String, allowed: [String]) -> Response {
    let allow = allowed.joined(separator: ", ")
    var response = problem(Problem(405, rule: Problem.Rule.method, "\(method) is not allowed here, but \(allow) is"))
    response.fields[.allow] = allow
    return response
  }

  /// The answers of these sockets are true of one moment.
  private static func fresh(_ response: Response) -> Response {
    var response = response
    response.fields[.cacheControl] = "no-store"
    return response
  }
}
