import Foundation
import Gateway
import HTTPServing
import TestSupport
import Testing

@Suite("Hostile clients") struct HostileTests {
  private static let post = "PUT /users/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer athlete=7\r\n"

  /// That somebody else is served.
  private func serves(_ world: GatewayWorld) async throws {
    #expect(try await world.call("GET /echo/1").status == 200)
  }

  @Test func `slow clients are closed, and others are served meanwhile`() async throws {
    try await GatewayWorld.run {
      ($0.limits.idle, $0.limits.head, $0.limits.body) = (.milliseconds(700), .milliseconds(500), .milliseconds(500))
    } _: { world async throws in
      let (head, drip, body, silent) = (
        try world.connect(), try world.connect(), try world.connect(), try world.connect()
      )
      await head.send("GET /echo/1 HTT")
      await body.send(Self.post + "Content-Length: 30\r\n\r\n{")
      let dripping = Task.detached {
        while await drip.send("G") > 0 { try await pauseBetweenLooks() }
      }
      try await serves(world)
      #expect(await head.rest() == "")
      #expect(await silent.rest() == "")
      let late = Reply(await body.rest())
      #expect(late?.status == 408 && late?.has(#""rule":"timeout""#) == true)
      try await dripping.value
      #expect(await drip.rest().map { $0.isEmpty || $0.contains(" 400 ") || $0.contains(" 431 ") } == true)
    }
  }

  @Test func `a client whose second head does not end is closed`() async throws {
    try await GatewayWorld.run {
      ($0.limits.idle, $0.limits.head) = (.seconds(50), .milliseconds(300))
    } _: { world async throws in
      let client = try world.connect()
      await client.send("GET /echo/1 HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await client.read(until: #""prefix""#) != nil)
      await client.send("GET /echo/1 HT")
      #expect(await client.rest() == "")
    }
  }

  @Test func `clients beyond the limit are closed at once, and places become free`() async throws {
    try await GatewayWorld.run {
      ($0.limits.connectionsMax, $0.limits.connectionsPerAddressMax) = (1024, 1024)
    } _: { world async throws in
      var clients: [HTTPClient] = []
      for _ in 0..<1024 { clients.append(try world.connect()) }
      try await untilTrue("1024 connections") {
        try await world.call("GET /metrics", on: world.health).has("settled_gateway_connections 1024\n")
      }
      for _ in 0..<76 {
        let refused = try? await world.exchange("GET /echo/1 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(refused == nil || refused?.status == 503)
      }
      await clients[5].send("GET /echo/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      #expect(Reply(await clients[5].rest())?.status == 200)
      clients = []
      try await untilTrue("served again") {
        try await world.exchange("GET /echo/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")?.status == 200
      }
    }
  }

  @Test func `heads that RFC 9112 refuses are refused, and a client of HTTP/1.0 gets the end of its connection`()
    async throws
  {
    try await GatewayWorld.run { world async throws in
      for head in [
        "GET /echo/1 HTTP/1.1\r\n", "GET /echo/1 HTTP/1.1\r\nHost: x\r\nHost: x\r\n",
        "GET /echo/1 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
        "GET /echo/1 HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n",
      ] {
        let client = try world.connect()
        await client.send(head + "\r\n")
        let reply = Reply(await client.rest())
        #expect(reply?.status == 400 && reply?.has(#""rule":"head""#) == true, "\(head)")
      }
      for head in ["GET /echo/1 HTTP/1.0\r\n", "GET /echo/1 HTTP/1.0\r\nConnection: TE\r\n"] {
        let client = try world.connect()
        await client.send(head + "\r\n")
        #expect(Reply(await client.rest())?.status == 200, "\(head)")
      }
      let kept = try world.connect()
      for _ in 1...2 {
        await kept.send("GET /echo/1 HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        #expect(await kept.read(until: #""prefix""#) != nil)
      }
      let good = try world.connect()
      await good.send("GET /echo/1 HTTP/1.1\r\nHost: x\r\n\r\nGET /echo/2 HTTP/1.1\r\n\r\n")
      #expect(await good.rest()?.contains(" 200 ") == true)
      try await serves(world)
    }
  }

  @Test func `a compressed body is 415, and identity is no compression`() async throws {
    try await GatewayWorld.run { world async throws in
      for (coding, status) in [("gzip", 415), ("identity, br", 415), ("Identity", 200)] {
        let reply = try await world.exchange(
          Self.post + "Content-Encoding: \(coding)\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
        #expect((reply?.status == 415) == (status == 415), "\(coding): \(String(describing: reply))")
      }
    }
  }

  @Test func `a client with a body that is too large can read the reason`() async throws {
    try await GatewayWorld.run { world async throws in
      for head in ["Content-Length: 100000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"] {
        let client = try world.connect()
        let isChunked = head.hasPrefix("T")
        let sending = Task.detached {
          await client.send(Self.post + head)
          let piece = [UInt8](repeating: 0x20, count: 1 << 20)
          for _ in 0..<100 {
            if isChunked { await client.send("100000\r\n") }
            guard await client.send(piece) == piece.count else { return }
            if isChunked { await client.send("\r\n") }
          }
        }
        let reply = Reply(await client.read(until: "\r\n\r\n{"))
        #expect(reply?.status == 413 && reply?["connection"] == "close")
        await sending.value
        try await serves(world)
      }
      let fits = "[\"" + String(repeating: "x", count: 8_388_604) + "\"]"
      let large = try await world.call("POST /activities", token: "athlete=7", body: fits)
      #expect(large.has("8388608"), "\(large)")
      #expect(try await world.call("POST /activities", token: "athlete=7", body: fits + " ").status == 413)
    }
  }

  @Test func `clients whose bodies fill the memory limit get 503, and memory becomes free`() async throws {
    try await GatewayWorld.run {
      $0.limits.bodiesBytesMax = 3_000_000
    } _: { world async throws in
      let head = "POST /activities HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer athlete=7\r\n"
      let first = try world.connect()
      await first.send(head + "Content-Length: 2000001\r\n\r\n")
      await first.send([UInt8](repeating: 0x20, count: 2_000_000))
      try await untilTrue("the room is full") {
        try await world.call("GET /metrics", on: world.health).has("settled_gateway_body_bytes 2000000\n")
      }
      let body = String(repeating: " ", count: 1_500_000) + "1"
      #expect(try await world.call("POST /activities", token: "athlete=8", body: body).status == 503)
      try await serves(world)
      await first.send("1")
      #expect(Reply(await first.read(until: "bytes"))?.status == 200)
      #expect(try await world.call("POST /activities", token: "athlete=8", body: body).status == 200)
    }
  }

  @Test func `one account's silent bodies leave room for others, and small bodies have room beside any others`()
    async throws
  {
    try await GatewayWorld.run {
      $0.limits.bodiesBytesMax = 34_000_000
      $0.trustedProxies = TrustedProxies("127.0.0.0/8") ?? TrustedProxies()
    } _: { world async throws in
      func send(_ athlete: Int) async throws -> HTTPClient {
        let client = try world.connect()
        await client.send("POST /activities HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer athlete=\(athlete)\r\n")
        await client.send("X-Forwarded-For: 192.0.2.\(athlete)\r\nContent-Length: 7000001\r\n\r\n")
        await client.send([UInt8](repeating: 0x20, count: 7_000_000))
        return client
      }
      func fill(_ athlete: Int, until bytes: Int) async throws -> HTTPClient {
        let client = try await send(athlete)
        try await untilTrue("\(bytes) bytes of bodies") { try await Self.bodyBytes(world) == bytes }
        return client
      }
      func isRefused(_ athlete: Int) async throws -> Bool {
        Reply(await (try await send(athlete)).read(until: "\r\n\r\n{"))?.status == 503
      }
      // The share of one account is a quarter, 8.5 MB.
      let first = try await fill(7, until: 7_000_000)
      #expect(try await isRefused(7))
      let others = [try await fill(8, until: 14_000_000), try await fill(9, until: 21_000_000)]
      let last = try await fill(10, until: 28_000_000)
      // An eighth is kept for small bodies.
      #expect(try await isRefused(11))
      let small = try await world.call("POST /activities", token: "athlete=11", body: "1")
      #expect(small.status == 200, "\(small)")
      withExtendedLifetime((first, others, last)) {}
    }
  }

  @Test func `more large bodies than processors are read at the same time`() async throws {
    let clients = 2 * ProcessInfo.processInfo.activeProcessorCount
    try await GatewayWorld.run {
      // A quarter is the share of their one address.
      $0.limits.bodiesBytesMax = clients * 32_000_000
    } _: { world async throws in
      let body = String(repeating: " ", count: 7_000_000) + "1"
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for athlete in 1...clients {
          group.addTask { try await world.call("POST /activities", token: "athlete=\(athlete)", body: body).status }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(statuses == [200])
    }
  }

  private static func bodyBytes(_ world: GatewayWorld) async throws -> Int {
    let metrics = try await world.call("GET /metrics", on: world.health).body
    return metrics.firstMatch(of: /\nsettled_gateway_body_bytes (\d+)/).flatMap { Int($0.1) } ?? 0
  }

  @Test(arguments: [
    "{", "[]", "nonsense", "", "{\"a\":1,\"a\":2}", #"{"a":1,"\u0061":2}"#, #"{"a":{"b":1,"b":1}}"#, "{\"a\":1}x",
    #"{"a":"\u0000"}"#, #"{"a":"\ud800"}"#, "{\"a\":1e999}", "{\"a\":01}", "{\"a\":NaN}", "{'a':1}", "{\"a\":1,}",
    "{\"a\":\"\u{1}\"}", "\u{FEFF}{}",
    "{\"a\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
    "{\"a\":" + String(repeating: "[", count: 60000),
  ])
  func `a client with malformed JSON is refused`(body: String) async throws {
    try await GatewayWorld.run { world async throws in
      for (line, token) in [("PUT /users/7", "athlete=7"), ("POST /api/age/daily-update", "checkin=x")] {
        let reply = try await world.call(line, token: token, body: body)
        let isEmptyObject = body.isEmpty
        #expect(reply.status == (isEmptyObject ? (line.hasPrefix("PUT") ? 200 : 409) : 400), "\(reply)")
        #expect(isEmptyObject || reply.has(#""rule":"json""#), "\(reply)")
      }
    }
  }

  @Test func `a client with bytes that are not UTF-8 is refused`() async throws {
    try await GatewayWorld.run { world async throws in
      let client = try world.connect()
      await client.send(Self.post + "Connection: close\r\nContent-Length: 9\r\n\r\n")
      await client.send([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])
      let reply = Reply(await client.rest())
      #expect(reply?.status == 400 && reply?.has("UTF-8") == true)
    }
  }

  @Test func `a client that pipelines requests gets the answers in their order`() async throws {
    try await GatewayWorld.run { world async throws in
      let client = try world.connect()
      await client.send(
        (0..<50).map { "GET /echo/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
          + "GET /echo/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let answer = try #require(await client.rest())
      let ids = answer.matches(of: /"id": "(\w+)"/).map { String($0.1) }
      #expect(ids == (0..<50).map { "\($0)" } + ["last"])
    }
  }

  @Test(arguments: [
    "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "Content-Length: -1\r\n\r\n", "Content-Length: 2, 2\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n",
    "Transfer-Encoding: chunked, identity\r\n\r\n", "Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
  ])
  func `a request that two readers could read differently is refused`(rest: String) async throws {
    try await GatewayWorld.run { world async throws in
      let client = try world.connect()
      await client.send(Self.post + rest + "GET /echo/smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
      client.finishSending()
      let answer = try #require(await client.rest())
      #expect(!answer.contains("smuggled"), "\(answer)")
      #expect(answer.isEmpty || Reply(answer).map { [400, 413].contains($0.status) } == true, "\(answer)")
      try await serves(world)
    }
  }

  @Test func `a head that is too large gets an error`() async throws {
    try await GatewayWorld.run { world async throws in
      for text in [
        "GET /echo/1 HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 1 << 20))\r\n\r\n",
        "GET /\(String(repeating: "a", count: 1 << 20)) HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\n" + (0..<5000).map { "A\($0): a\r\n" }.joined() + "\r\n",
      ] {
        let client = try world.connect()
        let sending = Task.detached { await client.send(text) }
        let answer = await client.rest()
        #expect(answer == "" || Reply(answer)?.status == 431, "\(answer ?? "open")")
        _ = await sending.value
      }
      try await serves(world)
    }
  }

  @Test func `a client that expects 100-continue gets it`() async throws {
    try await GatewayWorld.run { world async throws in
      let client = try world.connect()
      await client.send(Self.post + "Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n")
      #expect(await client.read(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 100 ") == true)
      await client.send("{}")
      #expect(Reply(await client.rest())?.status == 200)
    }
  }

  @Test func `a client that expects 100-continue without access is refused at once`() async throws {
    try await GatewayWorld.run { world async throws in
      let client = try world.connect()
      await client.send(
        "POST /nothing HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      let reply = Reply(await client.rest())
      #expect(reply?.status == 404 && reply?["connection"] == "close", "\(String(describing: reply))")
    }
  }

  @Test func `a body that comes after its head is answered, however long the work takes`() async throws {
    try await GatewayWorld.run {
      $0.limits.head = .milliseconds(300)
    } _: { world async throws in
      let client = try world.connect()
      await client.send(
        "GET /waits/1.5 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
          + "Content-Length: 2\r\n\r\n")
      #expect(await client.read(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 100 ") == true)
      await client.send("{}")
      #expect(Reply(await client.rest())?.status == 200)
    }
  }
}
