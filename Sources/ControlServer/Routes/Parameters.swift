import TextCoding
import Operations
import ControlAPI

/// Reads a command's parameters: from the path, the query of a GET, the JSON body of a POST.
struct Parameters {
  private let command: CommandDescription
  private let inPath: Set<String>
  private var values: [String: ParameterValue] = [:]

  /// The checked values. Throws a problem whose rule is the parameter's name, or `key` for one that is unknown.
  static func read(
    for command: CommandDescription, path: [String: String], query: Substring?, body: [UInt8]
  ) throws(RequestProblem) -> [String: ParameterValue] {
    var reader = Parameters(command: command, inPath: Set(path.keys))
    for (name, text) in path { try reader.take(name, text: text) }
    try reader.take(query: query ?? "")
    if command.method == .post {
      let members = try RequestBody.members(of: body)
      for name in members.keys.sorted() { try reader.take(name, member: members[name] ?? .null) }
      if let name = BodyNames.twice(in: body) { throw RequestProblem(parameter: name, "is duplicated") }
    } else if !body.isEmpty {
      throw RequestProblem(
        Problem(400, rule: Problem.Rule.body, "a GET request cannot have a body: put the parameters in the query"))
    }
    for parameter in command.parameters where parameter.isRequired && reader.values[parameter.name] == nil {
      throw RequestProblem(parameter: parameter.name, "is missing (\(parameter.meaning))")
    }
    return reader.values
  }

  private init(command: CommandDescription, inPath: Set<String>) {
    self.command = command
    self.inPath = inPath
  }

  private mutating func take(query: Substring) throws(RequestProblem) {
    for piece in query.split(separator: "&") {
      let sides = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(sides[0]), let text = PercentCoding.decode(sides.count > 1 ? sides[1] : "")
      else { throw RequestProblem(Problem(400, rule: Problem.Rule.key, "the query is not percent-encoded UTF-8")) }
      guard command.method == .get, !inPath.contains(name) else { throw unknown(name) }
      guard values[name] == nil else { throw RequestProblem(parameter: name, "is duplicated") }
      try take(name, text: text)
    }
  }

  /// A flag may appear in a query without a value: `?explain`.
  private mutating func take(_ name: String, text: String) throws(RequestProblem) {
    switch try parameter(name).kind {
    case .text: try keep(name, text)
    case .integer:
      guard let number = Int64(text) else { throw RequestProblem(parameter: name, "must be an integer") }
      values[name] = .integer(number)
    case .boolean:
      guard let flag = text.isEmpty ? true : Bool(text) else {
        throw RequestProblem(parameter: name, "must be true or false")
      }
      values[name] = .boolean(flag)
    }
  }

  private mutating func take(_ name: String, member: JSONValue) throws(RequestProblem) {
    guard !inPath.contains(name) else { throw unknown(name) }
    switch (try parameter(name).kind, member) {
    case (_, .null): break
    case (.text, .text(let text)): try keep(name, text)
    case (.integer, .integer(let number)): values[name] = .integer(number)
    case (.boolean, .boolean(let flag)): values[name] = .boolean(flag)
    case (.text, _): throw RequestProblem(parameter: name, "must be a string")
    case (.integer, _): throw RequestProblem(parameter: name, "must be an integer")
    case (.boolean, _): throw RequestProblem(parameter: name, "must be true or false")
    }
  }

  /// PostgreSQL's text has no NUL, and an empty reason counts as missing.
  private mutating func keep(_ name: String, _ text: String) throws(RequestProblem) {
    guard !text.utf8.contains(0) else { throw RequestProblem(parameter: name, "must not contain NUL") }
    if text.isEmpty, try parameter(name).isRequired { throw RequestProblem(parameter: name, "must not be empty") }
    values[name] = .text(text)
  }

  private func parameter(_ name: String) throws(RequestProblem) -> CommandParameter {
    guard let found = command.parameter(name) else { throw unknown(name) }
    return found
  }

  private func unknown(_ name: String) -> RequestProblem {
    RequestProblem(Problem(400, rule: Problem.Rule.key, "\(command.name) has no parameter \(name.prefix(100)) here"))
  }
}
