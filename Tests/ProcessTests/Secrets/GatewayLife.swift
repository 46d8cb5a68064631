import Crypto
import Foundation
import TextCoding
import Postgres
import TestSupport

/// A real gateway, what people ask of it with curl, and all that they keep secret.
final class GatewayLife {
  let database: SettledDatabase
  let haystack = Haystack()
  private(set) var needles: [Needle] = []
  private let key = P256.Signing.PrivateKey()
  private let directory: ScratchDirectory
  private let gateway: SettledProcess

  init() async throws {
    database = try await SettledDatabase.simulated()
    directory = try ScratchDirectory()
    // The last mail stays in a file.
    let mailer = directory.path + "/sendmail"
    try "#!/bin/sh\ncat >'\(directory.path)/part' && mv '\(directory.path)/part' '\(directory.path)/mail'\n"
      .write(toFile: mailer, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: mailer)
    try key.pemRepresentation.write(
      toFile: directory.path + "/gateway-signing-key", atomically: true, encoding: .utf8)
    gateway = try SettledProcess(
      ["run"],
      [
        "SETTLED_GATEWAY_DATABASE_URL": database.url(.gateway), "SETTLED_GATEWAY_PUBLIC_URL": "https://settled.example",
        "SETTLED_GATEWAY_LISTEN": directory.path + "/http.sock",
        "SETTLED_GATEWAY_HEALTH_SOCKET": directory.path + "/health.sock", "SETTLED_GATEWAY_SENDMAIL": mailer,
        "SETTLED_GATEWAY_LOG_LEVEL": "trace", "SETTLED_GATEWAY_ATTEMPTS_PER_MINUTE": "1000",
        "SETTLED_GATEWAY_REQUEST_TIMEOUT": "90", "CREDENTIALS_DIRECTORY": directory.path,
      ], program: SettledProcess.built("settled-gateway"))
    try await gateway.log("ready")
    let bytes = key.rawRepresentation
    needles.append(Needle(.signingKey, bytes.map { String(format: "%02x", $0) }.joined()))
    needles.append(Needle(.signingKey, bytes.base64EncodedString()))
    // The text of PEM between its first and last line, without what is the same in each key.
    for line in key.pemRepresentation.split(separator: "\n").dropFirst(2).dropLast() {
      needles.append(Needle(.signingKey, String(line)))
    }
  }

  func keep(_ kind: Needle.Kind, _ secret: String) { needles.append(Needle(kind, secret)) }

  struct Answer {
    let status: Int
    let body: String
  }

  /// An answer that is no success is searched; successes hold tokens, as they must.
  @discardableResult
  func ask(
    _ method: String, _ path: String, token: String? = nil, body: String? = nil, headers: [String] = []
  ) async throws -> Answer {
    var words = ["-s", "-i", "--max-time", "120", "-X", method, "--unix-socket", directory.path + "/http.sock"]
    for header in headers + (token.map { ["Authorization: Bearer \($0)"] } ?? []) { words += ["-H", header] }
    if let body { words += ["-d", body] }
    let text = try await SettledProcess(words + ["http://x\(path)"], program: "/usr/bin/curl").finished().output
    let parts = text.components(separatedBy: "\r\n\r\n")
    let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    if status >= 300 { haystack.add("answer \(status) of \(method) \(path.prefix(20))", text) }
    return Answer(status: status, body: parts.count > 1 ? parts[1] : "")
  }

  /// A token or a password's user out of an answer.
  func session(_ answer: Answer) throws -> (token: String, athlete: String) {
    let tree = try JSONValue(answer.body)
    guard let token = tree["token"]?.text, let id = tree["user"]?["id"]?.text else {
      throw TimeLimitError(description: "no session: \(answer)")
    }
    keep(.ownToken, token)
    // Its signature alone would do to find it, too.
    keep(.ownToken, String(token.split(separator: ".")[2]))
    return (token, id)
  }

  /// The one-time token of the mail that comes next.
  func mailedToken() async throws -> String {
    let mail = directory.path + "/mail"
    try await untilTrue("the mail") { FileManager.default.fileExists(atPath: mail) }
    let text = try String(contentsOfFile: mail, encoding: .utf8)
    try FileManager.default.removeItem(atPath: mail)
    guard let token = text.firstMatch(of: /#token=(\S+)/)?.1 else {
      throw TimeLimitError(description: "no token: \(text)")
    }
    keep(.oneTimeToken, String(token))
    return String(token)
  }

  /// The hash that an account has now, as its owner alone sees it.
  func keepHash() async throws {
    let owner = try await database.connect()
    for hash in try await owner.query("SELECT password_hash FROM accounts.account WHERE password_hash IS NOT NULL")
      .decode(String.self)
    {
      for part in hash.split(separator: "$") where part.count > 20 { keep(.passwordHash, String(part)) }
    }
    await owner.close()
  }

  /// The traces that other processes see of it, and its answers to them.
  func addProcess() async throws {
    for name in ["cmdline", "environ", "status"] { try haystack.add(files: "/proc/\(gateway.pid)/\(name)") }
    for path in ["/metrics", "/health/live", "/health/ready"] {
      let answer = try await SettledProcess(
        ["-s", "--unix-socket", directory.path + "/health.sock", "http://x\(path)"], program: "/usr/bin/curl"
      ).finished().output
      haystack.add("answer of \(path)", answer)
    }
  }

  func stop() async throws {
    gateway.terminate()
    _ = try await gateway.exit()
    haystack.add("stdout", gateway.output.text)
    haystack.add("journal", gateway.errors.text)
  }

  /// The rows that each role can read.
  func addTables() async throws {
    for role in ["settled_reader", "settled_app", "settled_daemon"] {
      let session = try await database.connect()
      try await session.execute("SET ROLE \(raw: role)")
      for (table, columns) in try await session.query(SecretLife.tables).decode(String.self, String.self) {
        let text = try await session.query(
          "SELECT coalesce(string_agg(concat_ws(' ', \(raw: columns)), E'\\n'), '') FROM \(raw: table)"
        ).one(String.self)
        haystack.add("\(role) \(table)", text)
      }
      await session.close()
    }
  }
}
