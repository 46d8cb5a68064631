import Foundation

/// The real `settlectl dashboard` in front of a daemon.
package struct DashboardProcess: Sendable {
  package let process: SettledProcess
  package let port: Int
  package let token: String

  /// Starts it and reads the one line that it prints.
  package init(_ socket: String, _ arguments: [String] = [], _ environment: [String: String] = [:]) async throws {
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

  package var address: String { process.output.text.trimmingCharacters(in: .newlines) }

  /// A GET, or a POST where there is a body, with the token and these fields.
  package func call(
    _ target: String, body: String? = nil, headers: KeyValuePairs<String, String> = [:]
  ) async throws -> LoopbackAnswer {
    var fields = Array(headers).map { ($0.key, $0.value) }
    if !fields.contains(where: { $0.0 == "Authorization" }) { fields.append(("Authorization", "Bearer " + token)) }
    return try await LoopbackClient(port: port).call(target, body: body, fields: fields)
  }
}
