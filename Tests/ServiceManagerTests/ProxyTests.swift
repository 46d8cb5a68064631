import FoundationEssentials
import Testing

/// The example of a proxy in front of the gateway, as nginx reads it.
struct ProxyTests {
  static let nginx = tool("nginx")

  @Test(.enabled(if: nginx != nil, "nginx is not installed"))
  func `nginx finds nothing wrong with the example`() async throws {
    let found = try await check(try Self.example())

    #expect(found.isSuccess, "\(found.text)")
    // From 1.25 on nginx prefers a directive that the 1.22 of Debian 12 does not know.
    let warnings = found.text.split(separator: "\n").filter {
      $0.contains("[warn]") && !$0.contains("listen ... http2")
    }
    #expect(warnings.isEmpty, "\(found.text)")
  }

  @Test(.enabled(if: nginx != nil, "nginx is not installed"))
  func `nginx reports an unknown directive`() async throws {
    let found = try await check(try Self.example().replacing("proxy_read_timeout", with: "proxy_reading_timeout"))

    #expect(!found.isSuccess && found.text.contains("unknown directive"))
  }

  @Test func `the proxy's limits are the gateway's, and only the proxy names the client`() throws {
    let text = try Self.example()

    for line in [
      "client_max_body_size 64k;", "client_max_body_size 8m;", "large_client_header_buffers 4 16k;",
      "client_header_timeout 10s;", "client_body_timeout 30s;", "proxy_set_header X-Forwarded-For $remote_addr;",
      "server 127.0.0.1:8080;",
    ] {
      #expect(text.contains("  \(line)\n"), "\(line)")
    }
  }

  /// With a certificate for the moment, and sockets in place of ports, which a check opens.
  private func check(_ example: String) async throws -> (text: String, isSuccess: Bool) {
    let directory = try Directory()
    let made = try await output(
      of: try #require(tool("openssl")),
      [
        "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj",
        "/CN=settled.example",
        "-keyout", "\(directory.path)/key.pem", "-out", "\(directory.path)/certificate.pem",
      ])
    try #require(made.isSuccess, "\(made.text)")
    let site =
      example
      .replacing("/etc/letsencrypt/live/settled.example/fullchain.pem", with: "\(directory.path)/certificate.pem")
      .replacing("/etc/letsencrypt/live/settled.example/privkey.pem", with: "\(directory.path)/key.pem")
      .replacing("listen 80;", with: "listen unix:\(directory.path)/http;").replacing("listen [::]:80;", with: "")
      .replacing("listen 443 ssl", with: "listen unix:\(directory.path)/https ssl")
      .replacing("listen [::]:443 ssl http2;", with: "")
    try directory.write(site.utf8, to: "site.conf")
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(directory.path)/\($0);"
    }
    try directory.write(
      """
      pid \(directory.path)/pid;
      error_log stderr;
      events {}
      http { access_log off; \(temporary.joined(separator: " ")) include \(directory.path)/site.conf; }
      """.utf8, to: "nginx.conf")
    return try await output(
      of: try #require(Self.nginx), ["-t", "-e", "stderr", "-p", directory.path, "-c", "\(directory.path)/nginx.conf"])
  }

  private static func example() throws -> String {
    let deploy = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/deploy"
    return try String(contentsOfFile: "\(deploy)/nginx-settled-gateway.conf", encoding: .utf8)
  }
}
