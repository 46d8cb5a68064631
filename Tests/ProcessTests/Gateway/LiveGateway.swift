import Crypto
import Foundation
import TestSupport

/// The real settled-gateway on a socket of its own, which a test may kill and start again, asked with curl.
final class LiveGateway: Sendable {
  struct Answer: Sendable {
    /// 0 where none came.
    let status: Int
    let head: String
    let body: String
  }

  let directory: ScratchDirectory
  private let environment: [String: String]
  private let program: String

  /// Where it serves.
  var socket: String { directory.path + "/http.sock" }

  /// Variables override ours.
  init(
    _ database: SettledDatabase, _ variables: [String: String] = [:],
    program: String = SettledProcess.built("settled-gateway")
  ) throws {
    directory = try ScratchDirectory()
    self.program = program
    environment = [
      "SETTLED_GATEWAY_DATABASE_URL": database.url(.gateway), "SETTLED_GATEWAY_PUBLIC_URL": "https://settled.example",
      "SETTLED_GATEWAY_LISTEN": directory.path + "/http.sock",
      "SETTLED_GATEWAY_HEALTH_SOCKET": directory.path + "/health.sock",
      "SETTLED_GATEWAY_SIGNING_KEY": P256.Signing.PrivateKey().pemRepresentation,
      "SETTLED_GATEWAY_PAYMENTS_PER_SECOND": "10000",
    ].merging(variables) { $1 }
  }

  /// A process that serves.
  func start() async throws -> SettledProcess {
    let process = try launch()
    try await process.log("ready")
    return process
  }

  /// A process that will serve, as soon as it can.
  func launch() throws -> SettledProcess { try SettledProcess(["run"], environment, program: program) }

  /// Signed with its key: `--role payments`.
  func token(_ options: String...) async throws -> String { try await token(options) }

  func token(_ options: [String]) async throws -> String {
    let signed = try await SettledProcess(["token"] + options, environment, program: program).finished()
    return signed.output.trimmingCharacters(in: .newlines)
  }

  func ask(
    _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: String? = nil,
    socket: String = "http.sock"
  ) async throws -> Answer {
    var words = ["-s", "-i", "--max-time", "60", "-X", method, "--unix-socket", "\(directory.path)/\(socket)"]
    for header in [token.map { "Authorization: Bearer \($0)" }, key.map { "Idempotency-Key: \($0)" }] {
      if let header { words += ["-H", header] }
    }
    if let body { words += ["-d", body] }
    let text = try await SettledProcess(words + ["http://x\(path)"], program: "/usr/bin/curl").finished().output
    let parts = text.components(separatedBy: "\r\n\r\n")
    return Answer(
      status: text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, head: parts[0],
      body: parts.count > 1 ? parts[1] : "")
  }
}
