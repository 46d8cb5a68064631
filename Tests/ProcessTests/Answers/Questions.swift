import ControlAPI
import ControlClient
import TextCoding
import TestSupport
import Testing

/// Asks a daemon over its socket, and holds each answer against the command's schema.
final class Questions {
  private let client: ControlClient
  private(set) var check = AnswerCheck()
  private(set) var asked: [String: Int] = [:]

  init(_ daemon: SettledProcess) {
    client = ControlClient(path: daemon.controlSocket)
  }

  @discardableResult
  func ask(
    _ command: CommandDescription, _ values: KeyValuePairs<String, ParameterValue?> = [:],
    requestId: String? = nil
  ) async throws -> String {
    var request = ControlRequest(command, values)
    request.requestId = requestId
    let response = try await client.send(request)
    #expect(response.status == 200, "\(command.name): \(response.body)")
    guard response.status == 200 else { return response.body }
    let answer = try JSONValue(response.body)
    check.check(answer, command.answer, at: .init(command.name))
    asked[command.name, default: 0] += 1
    return response.body
  }

  /// Asks until the answer contains a text: for a daemon's own actions.
  func ask(
    _ command: CommandDescription, _ values: KeyValuePairs<String, ParameterValue?> = [:], until text: String
  ) async throws {
    try await within(.seconds(90), "\(text) in the answer of \(command.name)") { [client] in
      while try await !client.send(ControlRequest(command, values)).body.contains(text) {
        try await pauseBetweenLooks()
      }
    }
    try await ask(command, values)
  }
}
