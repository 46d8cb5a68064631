import ControlAPI
import ControlClient
import TextCoding

/// Hands a change on to the daemon, with its request id, and the daemon's answer back as it is.
///
/// Each value comes as a text, as its field has it: a number of the page's script has only 53 bits.
struct CommandRelay: Sendable {
  private let client: ControlClient

  /// - Parameter path: of the daemon's control socket.
  init(path: String) { client = ControlClient(path: path, bytesMax: RelayLimits.answerBytesMax) }

  func answer(_ command: CommandDescription, _ body: [UInt8], requestId: String) async -> RelayAnswer {
    guard let text = String(validating: body, as: UTF8.self), let json = try? JSONValue(text), case .object = json
    else { return RelayAnswer(Problem(400, rule: Problem.Rule.json, "the body is not a JSON object")) }
    var arguments: [String: ParameterValue] = [:]
    for (name, value) in json.members {
      guard let text = value.text else {
        return RelayAnswer(Problem(400, rule: Problem.Rule.key, "\(name) must be a string"))
      }
      // An empty field is left out.
      if text.isEmpty { continue }
      guard let parameter = command.parameter(name), let argument = ParameterValue(text, parameter.kind) else {
        return RelayAnswer(Problem(400, rule: Problem.Rule.key, "\(name) is not valid for \(command.name)"))
      }
      arguments[name] = argument
    }
    guard var request = ControlRequest(command, checking: arguments) else {
      return RelayAnswer(Problem(400, rule: Problem.Rule.key, "the arguments are not valid for \(command.name)"))
    }
    request.requestId = requestId
    do {
      let response = try await client.send(request)
      let isDone = (200..<300).contains(response.status)
      return RelayAnswer(response.status, isDone ? "application/json" : Problem.contentType, response.body)
    } catch {
      return RelayAnswer(
        Problem(
          503, rule: "no-answer",
          "\(error); the command might have taken effect: press the same button to retry it safely"))
    }
  }
}

extension ParameterValue {
  /// Of a field; nil where its text is not of this kind.
  fileprivate init?(_ text: String, _ kind: CommandParameter.Kind) {
    switch kind {
    case .text: self = .text(text)
    case .integer:
      guard let number = Int64(text) else { return nil }
      self = .integer(number)
    case .boolean:
      guard let flag = Bool(text) else { return nil }
      self = .boolean(flag)
    }
  }
}
