import ControlAPI
import FoundationEssentials
import TextCoding

/// A request that cannot be answered as requested.
struct RequestProblem: Error {
  let problem: Problem

  init(_ problem: Problem) {
    self.problem = problem
  }

  /// The parameter is at fault, and the rule is its name.
  init(parameter: String, _ detail: String) {
    problem = Problem(400, rule: parameter, "\(parameter) \(detail)")
  }
}

enum RequestBody {
  /// The members of a body; none if it is empty. Throws a problem if it is not a JSON object.
  static func members(of body: [UInt8]) throws(RequestProblem) -> [String: JSONValue] {
    if body.isEmpty { return [:] }
    let members: [String: JSONValue]
    do {
      members = try JSONDecoder().decode([String: JSONValue].self, from: Data(body))
    } catch {
      throw RequestProblem(Problem(400, rule: Problem.Rule.json, "the body is not a JSON object"))
    }
    // The decoder also accepts other encodings; then the names are not found.
    guard Set(BodyNames.read(body)) == Set(members.keys) else {
      throw RequestProblem(Problem(400, rule: Problem.Rule.json, "the body is not UTF-8"))
    }
    return members
  }
}
