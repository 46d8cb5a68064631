import Foundation
import TestSupport
import Testing
import TextCoding

/// The example of a proxy in front of the gateway, as it answers without the gateway.
@Suite("The refusals of the proxy") struct ProxyRefusalTests {
  /// nginx with the example's site, behind which nobody answers; `limit` is its rate of requests.
  private static func served(limit: String, _ body: (_ socket: String) async throws -> Void) async throws {
    let directory = try ScratchDirectory()
    let made = try await SettledProcess(
      [
        "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj",
        "/CN=settled.example", "-keyout", "\(directory.path)/key.pem", "-out", "\(directory.path)/certificate.pem",
      ], program: "/usr/bin/openssl"
    ).finished()
    try #require(made.exit == .code(0), "\(made.errors)")
    let socket = "\(directory.path)/https"
    let site = try Checkout.text("deploy/nginx-settled-gateway.conf")
      .replacing("/etc/letsencrypt/live/settled.example/fullchain.pem", with: "\(directory.path)/certificate.pem")
      .replacing("/etc/letsencrypt/live/settled.example/privkey.pem", with: "\(directory.path)/key.pem")
      .replacing("listen 80;", with: "listen unix:\(directory.path)/http;").replacing("listen [::]:80;", with: "")
      .replacing("listen 443 ssl", with: "listen unix:\(socket) ssl").replacing("listen [::]:443 ssl http2;", with: "")
      .replacing("server 127.0.0.1:8080;", with: "server unix:\(directory.path)/nobody;")
      .replacing("rate=50r/s", with: "rate=\(limit)").replacing("burst=100", with: "burst=1")
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(directory.path)/\($0);"
    }
    try """
    daemon off; master_process off; pid \(directory.path)/pid; error_log stderr; events {}
    http { access_log off; \(temporary.joined(separator: " ")) \(site) }
    """.write(toFile: directory.path + "/nginx.conf", atomically: true, encoding: .utf8)
    let nginx = try SettledProcess(
      ["-e", "stderr", "-p", directory.path, "-c", directory.path + "/nginx.conf"], program: "/usr/sbin/nginx")
    try await untilTrue("nginx (\(nginx.errors.text))") { FileManager.default.fileExists(atPath: socket) }
    try await body(socket)
    nginx.terminate()
    #expect(try await nginx.exit() == .code(0))
  }

  /// The head in small letters, and the body.
  private static func ask(_ socket: String, _ arguments: String...) async throws -> (head: String, body: JSONValue) {
    let done = try await SettledProcess(
      ["-sSki", "--http1.1", "--max-time", "30", "--unix-socket", socket, "-H", "Expect:"] + arguments
        + ["https://settled.example/races"],
      program: "/usr/bin/curl"
    ).finished()
    let parts = done.output.replacing("\r\n", with: "\n").components(separatedBy: "\n\n")
    try #require(parts.count >= 2, "\(done.output) \(done.errors)")
    return (parts[0].lowercased(), try JSONValue(parts[1]))
  }

  private static func expectProblem(
    _ answer: (head: String, body: JSONValue), status: Int, retryAfter: Int?,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.head.contains(" \(status) "), "\(answer.head)", sourceLocation: location)
    #expect(answer.head.contains("content-type: application/problem+json"), sourceLocation: location)
    #expect(answer.head.contains("strict-transport-security: "), sourceLocation: location)
    #expect(
      answer.head.contains("retry-after: \(retryAfter ?? 0)") == (retryAfter != nil), "\(answer.head)",
      sourceLocation: location)
    #expect(answer.body["status"] == .integer(Int64(status)), sourceLocation: location)
    for key in ["type", "title", "detail", "rule", "error", "message", "code"] {
      #expect(answer.body[key]?.text?.isEmpty == false, "\(key)", sourceLocation: location)
    }
  }

  @Test func `a gateway that is away is 503 and a body too large 413, both as problems that apps can read`()
    async throws
  {
    try await Self.served(limit: "50r/s") { socket in
      Self.expectProblem(try await Self.ask(socket), status: 503, retryAfter: 5)
      let large = try ScratchDirectory()
      try Data(count: 70_000).write(to: URL(fileURLWithPath: large.path + "/body"))
      let answer = try await Self.ask(socket, "--data-binary", "@\(large.path)/body")
      Self.expectProblem(answer, status: 413, retryAfter: nil)
    }
  }

  @Test func `too many requests are 429 with the time to wait`() async throws {
    try await Self.served(limit: "1r/m") { socket in
      for _ in 0..<2 { _ = try await Self.ask(socket) }
      Self.expectProblem(try await Self.ask(socket), status: 429, retryAfter: 2)
    }
  }
}
