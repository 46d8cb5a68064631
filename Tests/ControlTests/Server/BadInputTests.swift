import Operations
import ControlServer
import HTTPServing
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Bad input on the sockets")
struct BadInputTests {
  private func status(_ answer: String?) -> String? {
    answer.flatMap { $0.hasPrefix("HTTP/1.1 ") ? String($0.dropFirst(9).prefix(3)) : nil }
  }

  @Test(arguments: [
    (RawClient.get("/nothing"), "404", "path"), (RawClient.get("/v1/status/"), "404", "path"),
    (RawClient.get("//v1/status"), "404", "path"), (RawClient.get("/v1/jobs/%ff/run"), "404", "path"),
    (RawClient.get("/v1/drain"), "405", "method"), (RawClient.post("/v1/status", ""), "405", "method"),
    ("DELETE /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "405", "method"),
    (RawClient.post("/v1/clock/accept", "{"), "400", "json"),
    (RawClient.post("/v1/clock/accept", "[]"), "400", "json"),
    (RawClient.post("/v1/clock/accept", "\u{0}"), "400", "json"),
    (RawClient.post("/v1/clock/accept", "{\0\"\0r\0\"\0:\01\0}\0"), "400", "json"),
    (RawClient.post("/v1/clock/accept", "{}"), "400", "reason"),
    (RawClient.post("/v1/clock/accept", ""), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":null}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":""}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":5}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":["x"]}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":"\u0000"}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":"x","more":1}"#), "400", "key"),
    (RawClient.post("/v1/clock/accept", #"{"reason":"x","reason":"x"}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"reason":"x", "r\u0065ason" : null}"#), "400", "reason"),
    (RawClient.post("/v1/clock/accept", #"{"a":{"b":1,"b":[2]},"\"}":",","\"}":1}"#), "400", "key"),
    (RawClient.post("/v1/clock/accept?reason=x", "{}"), "400", "key"),
    (RawClient.post("/v1/races/5/settle", #"{"id":6}"#), "400", "key"),
    (RawClient.post("/v1/races/5/settle", #"{"override":"yes"}"#), "400", "override"),
    (RawClient.post("/v1/races/five/settle", "{}"), "400", "id"),
    (RawClient.post("/v1/races/99999999999999999999/settle", "{}"), "400", "id"),
    (RawClient.get("/v1/next?limit=many"), "400", "limit"),
    (RawClient.get("/v1/next?limit=1&limit=2"), "400", "limit"),
    (RawClient.get("/v1/next?limt=1"), "400", "key"), (RawClient.get("/v1/next?limit=%f"), "400", "key"),
    (RawClient.get("/v1/races/5?explain=perhaps"), "400", "explain"),
    (RawClient.get("/v1/races/5?id=6"), "400", "key"),
    ("GET /v1/next HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", "400", "body"),
    (RawClient.post("/v1/drain", "{}", headers: "X-Request-Id: a b\r\n"), "400", "request-id"),
    (
      RawClient.post("/v1/drain", "{}", headers: "X-Request-Id: \(String(repeating: "a", count: 201))\r\n"), "400",
      "request-id"
    ),
    (RawClient.post("/v1/drain", "{}", headers: "X-Request-Id: a\r\nX-Request-Id: b\r\n"), "400", "request-id"),
    (RawClient.post("/v1/drain", String(repeating: " ", count: 65537)), "413", "body"),
    ("GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 9000))\r\n\r\n", "431", "head"),
    ("GET / HTTP/1.1\r\n" + (0..<100).map { "A\($0): a\r\n" }.joined() + "\r\n", "431", "head"),
    ("GET /\(String(repeating: "a", count: 90000)) HTTP/1.1\r\n\r\n", "431", "head"),
    ("hello\r\n\r\n", "400", "head"), ("\u{16}\u{3}\u{1}\u{2}\u{0}", "400", "head"),
    ("GET /v1/status HTTP/9.9\r\n\r\n", "400", "head"),
  ])
  func `bad input on the sockets gets a problem that names the rule`(_ request: String, _ code: String, _ rule: String)
    async throws
  {
    let runner = StubRunner()
    try await Served.run(runner) { directory, _ async throws in
      let answer = try await RawClient.exchange(directory.control, request)
      #expect(status(answer) == code, "\(answer ?? "no answer")")
      #expect(answer?.contains("application/problem+json") == true)
      #expect(answer?.contains(#""rule":"\#(rule)""#) == true, "\(answer ?? "no answer")")
      #expect(status(try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))) == "200")
    }
    #expect(runner.calls.map(\.command) == ["status"])
  }

  @Test func `a repeated key is reported by name, and a value that looks like a key is not a key`() async throws {
    let runner = StubRunner()
    try await Served.run(runner) { directory, _ async throws in
      let ask = { (body: String) in
        try await RawClient.exchange(directory.control, RawClient.post("/v1/races/5/settle", body))
      }
      let answer = try await ask(#"{"reason":"why","override":false,"reason":"other"}"#)
      #expect(answer?.contains("reason is duplicated") == true, "\(answer ?? "no answer")")
      #expect(status(try await ask(#"{"reason":"reason","expectHash":"\\\",\"reason\":"}"#)) == "200")
    }
    #expect(runner.calls.map { $0.call.text("expectHash") } == [#"\","reason":"#])
  }

  @Test func `parameters beside good input arrive with their types`() async throws {
    let runner = StubRunner()
    try await Served.run(runner) { directory, _ async throws in
      for request in [
        RawClient.get("/v1/races/5?explain"), RawClient.get("/v1/races/5?explain=false"),
        RawClient.post("/v1/jobs/a%2Fb%20%C3%A9/run", ""),
        RawClient.post(
          "/v1/races/-7/settle", #"{"override":true,"reason":"caf\u00e9 \ud83d\ude00","expectHash":null}"#,
          headers: "X-Request-Id: one-2\r\nContent-Type: application/json; charset=utf-8\r\n"),
        RawClient.post("/v1/drain", String(repeating: " ", count: 65534) + "{}"),
      ] {
        #expect(status(try await RawClient.exchange(directory.control, request)) == "200")
      }
    }
    let calls = runner.calls.map(\.call)
    #expect(calls[0].integer("id") == 5 && calls[0].flag("explain"))
    #expect(!calls[1].flag("explain"))
    #expect(calls[2].text("name") == "a/b é")
    #expect(calls[3].integer("id") == -7 && calls[3].flag("override") && calls[3].text("reason") == "café 😀")
    #expect(calls[3].text("expectHash") == nil && calls[3].requestId == "one-2")
  }

  @Test func `a 405 answer lists the allowed methods`() async throws {
    try await Served.run { directory, _ async throws in
      let answer = try await RawClient.exchange(directory.control, RawClient.get("/v1/drain"))
      #expect(answer?.lowercased().contains("\r\nallow: post\r\n") == true)
    }
  }

  @Test func `a truncated request is answered 400 or closed, and never carried out`() async throws {
    let runner = StubRunner()
    try await Served.run(runner) { directory, _ async throws in
      for text in [
        "GET /v1/sta", "GET /v1/status HTTP/1.1\r\nHo",
        "POST /v1/drain HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{", "",
        "POST /v1/drain HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
        "POST /v1/drain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
      ] {
        let client = try RawClient(directory.control)
        await client.send(text)
        client.finishSending()
        let answer = await client.rest()
        #expect(answer == "" || status(answer) == "400", "\(answer ?? "open")")
        let hasBody = text.hasPrefix("POST")
        #expect(!hasBody || answer?.contains(#""rule":"body""#) == true, "\(answer ?? "open")")
      }
    }
    #expect(runner.calls.isEmpty)
  }

  @Test func `garbage behind a good request is refused, and the good one is answered`() async throws {
    try await Served.run { directory, _ async throws in
      let client = try RawClient(directory.control)
      await client.send(
        "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/nodes HTTP/1.1\r\nHost: x\r\n\r\n\u{1}\u{2}garbage\r\n\r\n")
      let answer = try #require(await client.rest())
      #expect(answer.contains(#"{"command":"status"}"#) && answer.contains(#"{"command":"nodes"}"#))
      #expect(answer.components(separatedBy: "HTTP/1.1 ").count <= 4)
    }
  }

  @Test func `slow and silent senders are closed, and others are served meanwhile`() async throws {
    var limits = ServingLimits()
    (limits.idleAtMost, limits.headAtMost, limits.bodyAtMost) = (
      .milliseconds(500), .milliseconds(500), .milliseconds(500)
    )
    let runner = StubRunner()
    try await Served.run(runner, limits: limits) { directory, _ async throws in
      let head = try RawClient(directory.control)
      let empty = try RawClient(directory.control)
      await empty.send("POST /v1/undrain HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
      await head.send("GET /v1/status HTT")
      let body = try RawClient(directory.control)
      await body.send("POST /v1/drain HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n{")
      let silent = try RawClient(directory.health)
      let idle = try RawClient(directory.control)
      await idle.send("GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(status(try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))) == "200")
      // A byte now and then does not help.
      let dripping = Task.detached {
        while await body.send(" ") > 0 { try await pauseBetweenLooks() }
      }
      for client in [head, silent] { #expect(await client.rest() == "") }
      for client in [body, empty] {
        let late = await client.rest()
        #expect(status(late) == "408" && late?.contains(#""rule":"timeout""#) == true, "\(late ?? "open")")
      }
      #expect(status(await idle.rest()) == "200")
      try await dripping.value
    }
    #expect(runner.calls.allSatisfy { $0.command == "status" }, "nothing that is cut off is carried out")
  }

  @Test func `a client that reads no answers is closed`() async throws {
    var limits = ServingLimits()
    (limits.idleAtMost, limits.headAtMost, limits.bodyAtMost) = (
      .milliseconds(500), .milliseconds(500), .milliseconds(500)
    )
    let big = #"""# + String(repeating: "x", count: 4 << 20) + #"""#
    try await Served.run(StubRunner(["status": { _ in big }]), limits: limits) { directory, _ async throws in
      let client = try RawClient(directory.control)
      await client.send("GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
      // The server hangs up first: then the peer's end of the socket is gone, which poll tells without reading.
      let hungUp = await offPool {
        var poller = pollfd(fd: client.descriptor, events: 0, revents: 0)
        return poll(&poller, 1, 20000) == 1 && Int32(poller.revents) & Int32(POLLHUP) != 0
      }
      #expect(hungUp)
    }
  }

  @Test func `unread large answers are limited; further ones get 503, small answers and changes pass`()
    async throws
  {
    var limits = ServingLimits()
    limits.idleAtMost = .seconds(60)
    limits.untakenBytesMax = 6 << 20
    let big = #"""# + String(repeating: "x", count: 4 << 20) + #"""#
    let runner = StubRunner(["occurrences": { _ in big }, "schedule.backfill": { _ in big }])
    try await Served.run(runner, limits: limits) { directory, _ async throws in
      let large = RawClient.get("/v1/occurrences")
      let client = try RawClient(directory.control)
      await client.send(large)
      #expect(status(await client.read(until: "xxx")) == "200")
      let other = try await RawClient.exchange(directory.control, large)
      #expect(status(other) == "503" && other?.contains(#""rule":"busy""#) == true)
      #expect(status(try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))) == "200")
      let change = RawClient.post("/v1/schedules/a/backfill", #"{"from":"x","to":"y"}"#)
      #expect(status(try await RawClient.exchange(directory.control, change)) == "200")
      _ = await client.rest()
      var again = try await RawClient.exchange(directory.control, large)
      while status(again) == "503" { again = try await RawClient.exchange(directory.control, large) }
      #expect(status(again) == "200")
    }
  }

  @Test func `a connection beyond the limit gets an error, and a place that becomes free is used`() async throws {
    var limits = ServingLimits()
    limits.connectionsMax = 8
    (limits.connectionsForOperators, limits.connectionsForAdmins, limits.connectionsForRoot) = (0, 0, 0)
    let refused = Mutex(0)
    try await Served.run(
      limits: limits, observe: { if case .connectionRefused = $0 { refused.withLock { $0 += 1 } } }
    ) { directory, _ async throws in
      var clients: [RawClient] = []
      for _ in 0..<8 {
        let client = try RawClient(directory.control)
        await client.send("GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await client.read(until: "status") != nil)
        clients.append(client)
      }
      let answer = try await RawClient(directory.control).rest()
      #expect(status(answer) == "503")
      #expect(answer?.contains(#""rule":"connections""#) == true)
      #expect(status(try await RawClient.exchange(directory.health, RawClient.get("/health/live"))) == "200")
      #expect(refused.withLock { $0 } == 1)

      await clients[3].send("GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      clients[3].finishSending()
      _ = await clients[3].rest()
      var again = try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))
      while status(again) == "503" {
        again = try await RawClient.exchange(directory.control, RawClient.get("/v1/status"))
      }
      #expect(status(again) == "200")
      withExtendedLifetime(clients) {}
    }
  }

  @Test func `curl works as people use it, form type included`() async throws {
    try await Served.run { directory, _ async throws in
      let ended = try await run([
        "curl", "-s", "--unix-socket", directory.control, "http://x/v1/clock/accept", "-d", #"{"reason":"ntp"}"#,
      ])
      #expect(ended.output == #"{"command":"clock.accept"}"#)
      let large = String(repeating: "x", count: 100_000)
      let refused = try await run([
        "curl", "-s", "-w", "%{http_code}", "-o", "/dev/null", "--unix-socket", directory.control, "http://x/v1/drain",
        "-d", large,
      ])
      #expect(refused.output == "413")
    }
  }
}
