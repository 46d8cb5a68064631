import Foundation
import TestSupport

/// The real `settlectl dashboard` in front of a daemon.
struct DashboardProcess {
  let process: SettledProcess
  let port: Int
  let token: String

  /// Starts it and reads the one line that it prints.
  init(_ socket: String, _ arguments: [String] = [], _ environment: [String: String] = [:]) async throws {
    let process = try SettledProcess(
      ["dashboard", "--socket", socket] + arguments, environment, program: SettledProcess.tool)
    try await within(.seconds(60), "the dashboard's address (\(process.errors.text))") {
      guard await process.output.contains("\n") else {
        throw TimeLimitError(description: "settlectl dashboard ended: \(process.errors.text)")
      }
    }
    let line = process.output.text
    guard let match = line.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#([\w-]{43})\n/), let port = Int(match.1)
    else { throw TimeLimitError(description: "the dashboard printed \(line)") }
    (self.process, self.port, token) = (process, port, String(match.2))
  }

  var address: String { process.output.text.trimmingCharacters(in: .newlines) }

  /// A GET, or a POST where there is a body, with the token and these fields.
  func call(
    _ target: String, body: String? = nil, headers: KeyValuePairs<String, String> = [:]
  ) async throws -> LoopbackAnswer {
    var fields = Array(headers).map { ($0.key, $0.value) }
    if !fields.contains(where: { $0.0 == "Authorization" }) { fields.append(("Authorization", "Bearer " + token)) }
    return try await LoopbackClient(port: port).call(target, body: body, fields: fields)
  }

  /// Sends bytes as they are, and returns all that comes until the other end closes or is silent for two seconds.
  func raw(_ text: String) async throws -> String { try await RawExchange.send(text, port: port) }

  /// A request of raw HTTP with the fields of the operator's own page, but for those given.
  func request(_ method: String, _ target: String, _ fields: [(String, String)], body: String = "") -> String {
    var head = "\(method) \(target) HTTP/1.1\r\n"
    let own = [("Host", "127.0.0.1:\(port)"), ("Authorization", "Bearer \(token)"), ("Connection", "close")]
    for (name, value) in own where !fields.contains(where: { $0.0 == name }) { head += "\(name): \(value)\r\n" }
    for (name, value) in fields where !value.isEmpty { head += "\(name): \(value)\r\n" }
    return head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
  }
}
