import ControlAPI
import HTTPRouting
import HTTPServing
import HTTPTypes

extension Response {
  static func notFound(_ path: some StringProtocol) -> Response {
    problem(Problem(404, rule: Problem.Rule.path, "\(path) does not exist"))
  }

  /// Lists the methods that the path allows.
  static func wrongMethod(_ method: String, allowed: [String]) -> Response {
    let allow = allowed.joined(separator: ", ")
    var response = problem(Problem(405, rule: Problem.Rule.method, "\(method) is not allowed here: use \(allow)"))
    response.fields[.allow] = allow
    return response
  }

  /// Of the health socket.
  static func unanswered(_ request: HealthHandler.Unanswered) -> Response {
    switch request {
    case .nothing(let path): notFound(path)
    case .wrongMethod(let method): wrongMethod(method, allowed: ["GET"])
    case .refused(let refusal): .refusal(refusal)
    }
  }
}
