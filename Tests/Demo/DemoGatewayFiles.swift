import FoundationEssentials
import HostProcess
import Subprocess

/// The configuration of the demo's gateway, and its files, in a directory that nobody else opens.
struct DemoGatewayFiles: Sendable {
  /// Its key and its health socket.
  let directory: String
  let log: String
  private let databaseURL: String
  private let parent: String

  /// Makes the directory, with a throw-away key as the credential that signs tokens.
  init(in directory: String, databaseURL: String) async throws {
    self.directory = "\(directory)/gateway"
    log = "\(directory)/gateway.log"
    self.databaseURL = databaseURL
    parent = directory
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: credentials, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try PrivateFile.write(await Self.newKey(), to: "\(credentials)/gateway-signing-key")
  }

  private static func newKey() async throws -> String {
    let made = try await run(
      .name("openssl"), arguments: ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
      output: .string(limit: 4096), error: .discarded)
    guard made.terminationStatus.isSuccess else { throw Exit(.unavailable, "openssl cannot make a key") }
    return made.standardOutput
  }

  var healthSocket: String { "\(directory)/health.sock" }

  var lastWords: String { DemoServing.lastWords(of: "gateway", in: parent) }

  private var credentials: String { "\(directory)/credentials" }

  /// All people of the demo come from one address, so that many of them may log in within a minute.
  func variables(_ serving: DemoServing) -> [Environment.Key: String] {
    [
      "CREDENTIALS_DIRECTORY": credentials, "SETTLED_GATEWAY_DATABASE_URL": databaseURL,
      "SETTLED_GATEWAY_LISTEN": serving.address, "SETTLED_GATEWAY_PUBLIC_URL": serving.url,
      "SETTLED_GATEWAY_HEALTH_SOCKET": healthSocket, "SETTLED_GATEWAY_ATTEMPTS_PER_MINUTE": "100",
      // A build without optimization takes seconds for a password.
      "SETTLED_GATEWAY_REQUEST_TIMEOUT": "60",
    ]
  }
}
