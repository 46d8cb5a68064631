import Foundation
import Postgres
import TestSupport
import Testing

/// The checks by the real programs; their order and their cases are GateTests'.
@Suite("Who may use a dashboard") struct RelayCheckTests {
  @Test func `each check refuses a request that all other checks let in`() async throws {
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "checked", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let page = try await DashboardProcess(daemon.controlSocket, ["--changes"])
    let own = "http://127.0.0.1:\(page.port)"
    #expect(try await page.raw(page.request("GET", "/page/settings", [("Origin", own)])).hasPrefix("HTTP/1.1 200"))
    let cases: [(status: Int, rule: String, request: String)] = [
      // A name that was bound to 127.0.0.1 later.
      (403, "host", page.request("GET", "/", [("Host", "evil.example")])),
      (403, "host", page.request("GET", "/", [("Host", "")])),
      // A page on another port of this machine.
      (403, "origin", page.request("GET", "/page/settings", [("Origin", "http://127.0.0.1:\(page.port + 1)")])),
      (403, "fetch-site", page.request("GET", "/page/settings", [("Sec-Fetch-Site", "same-site")])),
      (401, "token", page.request("GET", "/page/settings", [("Authorization", "")])),
      (401, "token", page.request("GET", "/no/such/path", [("Authorization", "Bearer x")])),
      (401, "token", page.request("GET", "/events", [("Authorization", "")])),
      (401, "token", page.request("POST", "/command/job.pause", [("Authorization", ""), ("X-Request-Id", "a")])),
      (404, "path", page.request("GET", "/no/such/path", [])),
      (405, "method", page.request("DELETE", "/page/settings", [])),
      (405, "method", page.request("OPTIONS", "/command/job.pause", [])),
      (405, "method", page.request("HEAD", "/", [])),
      (400, "request-id", page.request("POST", "/command/job.pause", [], body: "{}")),
      (400, "json", page.request("POST", "/command/job.pause", [("X-Request-Id", "a")], body: "[]")),
      (400, "key", page.request("POST", "/command/job.pause", [("X-Request-Id", "a")], body: #"{"name": {}}"#)),
      (400, "key", page.request("POST", "/command/job.pause", [("X-Request-Id", "a")], body: #"{"name": 5}"#)),
      (400, "key", page.request("POST", "/command/job.pause", [("X-Request-Id", "a")], body: #"{"other": "x"}"#)),
      (413, "body", page.request("POST", "/command/job.pause", [], body: String(repeating: " ", count: 70_000))),
      (431, "head", page.request("GET", "/", [("X-Long", String(repeating: "x", count: 17_000))])),
      (431, "head", page.request("GET", "/", (1...65).map { ("X-\($0)", "x") })),
    ]
    for (status, rule, request) in cases {
      let answer = try await page.raw(request)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(rule): \(answer.prefix(300))")
      if !request.hasPrefix("HEAD") { #expect(answer.contains("\"rule\":\"\(rule)\""), "\(answer.prefix(900))") }
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `another user of this machine is refused, over IPv4 and over a mapped address`() async throws {
    let page = try await DashboardProcess("/nowhere")
    // An IPv6 socket reaches an IPv4 one by its mapped address: its row stands in the other table.
    let mapped = """
      import socket
      s = socket.socket(socket.AF_INET6)
      s.connect(("::ffff:127.0.0.1", \(page.port)))
      s.sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n")
      print(s.makefile().read())
      """
    let plain = "curl -si http://127.0.0.1:\(page.port)/"
    for (user, status) in [("nobody", "HTTP/1.1 403"), ("root", "HTTP/1.1 200")] {
      for command in [plain, "python3 -c '\(mapped)'"] {
        let asked = try await SettledProcess(
          ["--reuid", user, "--clear-groups", "/bin/sh", "-c", command], program: "/usr/bin/setpriv"
        ).finished()
        #expect(asked.output.hasPrefix(status), "\(user): \(asked.output.prefix(200)) \(asked.errors)")
        #expect(asked.output.contains("the request is from uid 65534") == (user == "nobody"))
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `another user's connections take no place of the operator's`() async throws {
    let page = try await DashboardProcess("/nowhere")
    let many = """
      import socket, sys
      held = [socket.create_connection(("127.0.0.1", \(page.port))) for _ in range(100)]
      # The last has been accepted when one of them is closed.
      for s in reversed(held):
          s.settimeout(30)
          if not s.recv(1): break
      print("held", flush=True)
      sys.stdin.read()
      """
    let stranger = try SettledProcess(
      ["--reuid", "nobody", "--clear-groups", "python3", "-c", many], program: "/usr/bin/setpriv")
    try await within(.seconds(60), "a hundred connections (\(stranger.errors.text))") {
      _ = await stranger.output.contains("held\n")
    }
    #expect(try await page.call("/").status == 200)
    stranger.killHard()
  }

  @Test func `every answer has the policy of the page, refusals included, and no cookie`() async throws {
    let page = try await DashboardProcess("/nowhere")
    for target in ["/", "/page.css", "/page.js", "/page/settings", "/nothing", "/settings/42"] {
      let answer = try await page.call(target)
      let policy = try #require(answer.header("Content-Security-Policy"))
      #expect(policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'"))
      #expect(policy.contains("trusted-types settled") && !policy.contains("unsafe"))
      #expect(answer.header("Cache-Control") == "no-store" && answer.header("Referrer-Policy") == "no-referrer")
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
      #expect(answer.header("Set-Cookie") == nil && answer.header("Access-Control-Allow-Origin") == nil)
    }
  }

  @Test func `a dashboard without --changes changes nothing, whoever asks`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemon = try SettledProcess.daemon(database, node: "reading", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let page = try await DashboardProcess(daemon.controlSocket)
    let answer = try await page.call(
      "/command/job.pause", body: #"{"name": "race-settlement"}"#, headers: ["X-Request-Id": "a"])
    #expect(answer.status == 403 && answer.body.contains("\"rule\":\"changes\""))
    #expect(try await owner.query("SELECT count(*) FROM settled.audit").one(Int64.self) == 0)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
