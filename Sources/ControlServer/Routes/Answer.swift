import ControlAPI

/// A response: its status, its body, and the header fields that are not of the connection.
struct Answer: Sendable, Equatable {
  var status: Int
  var contentType: String
  var body: String
  /// Methods that the path allows, with 405.
  var allow: String?

  static func json(_ body: String, status: Int = 200) -> Answer {
    Answer(status: status, contentType: "application/json", body: body)
  }

  static func text(_ body: String, contentType: String) -> Answer {
    Answer(status: 200, contentType: contentType, body: body)
  }

  static func problem(_ problem: Problem) -> Answer {
    Answer(status: problem.status, contentType: Problem.contentType, body: problem.json)
  }

  static func notFound(_ path: some StringProtocol) -> Answer {
    problem(Problem(404, rule: Problem.Rule.path, "there is nothing at \(path)"))
  }

  static func wrongMethod(_ method: String, allowed: [String]) -> Answer {
    let allow = allowed.joined(separator: ", ")
    var answer = problem(Problem(405, rule: Problem.Rule.method, "\(method) is not allowed here, but \(allow) is"))
    answer.allow = allow
    return answer
  }
}
