import ControlAPI
import FoundationEssentials

/// A member of a request's body.
enum BodyValue: Decodable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case text(String)
  /// A fraction, a number too large, an array, an object.
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else {
      self = .other
    }
  }

  /// The members of a body; none where it is empty. Throws a problem where it is not a JSON object.
  static func members(of body: [UInt8]) throws(RequestProblem) -> [String: BodyValue] {
    if body.isEmpty { return [:] }
    let members: [String: BodyValue]
    do {
      members = try JSONDecoder().decode([String: BodyValue].self, from: Data(body))
    } catch {
      throw RequestProblem(Problem(400, rule: Problem.Rule.json, "the body is not a JSON object"))
    }
    // The decoder takes other encodings, too; then the names are not found.
    guard Set(BodyNames.read(body)) == Set(members.keys) else {
      throw RequestProblem(Problem(400, rule: Problem.Rule.json, "the body is not UTF-8"))
    }
    return members
  }
}

/// A request that is not answered as asked.
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
