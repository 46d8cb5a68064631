import ControlAPI
import ControlClient
import TextCoding

/// Hands a change on to the daemon, with its request id, and the daemon's answer back as it is.
struct CommandRelay: Sendable {
  let client: ControlClient

  func answer(_ command: CommandDescription, _ body: [UInt8], requestId: String) async -> RelayAnswer {
    guard let text = String(validating: body, as: UTF8.self), let json = try? JSONValue(text), case .object = json
    else { return RelayAnswer(Problem(400, rule: Problem.Rule.json, "the body is not a JSON object")) }
    var arguments: [String: ParameterValue] = [:]
    for (name, value) in json.members {
      switch value {
      case .text(let text): arguments[name] = .text(text)
      case .integer(let number): arguments[name] = .integer(number)
      case .boolean(let flag): arguments[name] = .boolean(flag)
      default:
        return RelayAnswer(Problem(400, rule: Problem.Rule.key, "\(name) is not a text, a whole number or a boolean"))
      }
    }
    guard var request = ControlRequest(command, checking: arguments) else {
      return RelayAnswer(Problem(400, rule: Problem.Rule.key, "the arguments do not fit \(command.name)"))
    }
    request.requestId = requestId
    do {
      let response = try await client.send(request)
      let isDone = (200..<300).contains(response.status)
      return RelayAnswer(response.status, isDone ? "application/json" : Problem.contentType, response.body)
    } catch {
      return RelayAnswer(
        Problem(503, rule: "no-answer", "\(error); it may have been done: the same button asks again, with one effect"))
    }
  }
}
