import Gateway
import Testing

@Suite("Access to routes") struct AccessTests {
  @Test(arguments: [
    ("GET /users/7", nil, 401, #""rule":"token-missing""#), ("GET /users/7", "athlete=7", 200, "7"),
    ("GET /users/7", "athlete=8", 403, #""rule":"self""#), ("GET /users/07", "athlete=7", 403, #""rule":"self""#),
    ("GET /users/7", "reader=7", 403, #""rule":"identity""#),
    ("GET /users/7", "account=3;epoch=1;athlete=7", 200, "7"),
    ("GET /users/7", "account=3;epoch=0;athlete=7", 401, #""rule":"token""#),
    ("GET /echo/1", "nonsense", 401, #""rule":"token""#),
    ("GET /gread/v1/me/achievements", nil, 401, #""code":"rest_forbidden""#),
    ("GET /gread/v1/me/achievements", "athlete=7", 403, #""code":"rest_forbidden""#),
    ("GET /wp-json/gread/v2/me/achievements", "nonsense", 403, #"{"code":"jwt_auth_invalid_token","#),
    ("GET /wp-json/gread/v2/me/achievements", "account=3;epoch=0;reader=5", 403, "jwt_auth_invalid_token"),
    ("GET /api/auth/me", nil, 401, #"{"error":"Unauthorized","message":"#),
    ("POST /api/v1/points/earn", nil, 401, #"{"error":"this requires an Authorization header with a token","#),
  ])
  func `access is decided from the token, in each system's words`(
    line: String, token: String?, status: Int, words: String
  )
    async throws
  {
    try await GatewayWorld.run { world async throws in
      let reply = try await world.call(line, token: token, body: line.hasPrefix("POST") ? "{}" : nil)
      #expect(reply.status == status && reply.has(words), "\(reply)")
      #expect((reply["www-authenticate"] != nil) == (reply.status == 401))
    }
  }

  @Test func `a role is required on routes that name it`() async throws {
    try await GatewayWorld.run { world async throws in
      let key = ["Idempotency-Key: k1"]
      for (token, status) in [("athlete=7", 403), ("athlete=7;roles=moderator", 403), ("roles=payments", 200)] {
        let reply = try await world.call("POST /wallets/7/deposit", token: token, body: "{}", headers: key)
        #expect(reply.status == status)
      }
      let two = ["Authorization: Bearer athlete=7", "Authorization: Bearer athlete=8"]
      #expect(try await world.call("GET /echo/1", headers: two).status == 401)
    }
  }

  @Test func `a caller without access is refused before the body is read`() async throws {
    try await GatewayWorld.run { world async throws in
      let client = try world.connect()
      await client.send("POST /activities HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n")
      let reply = Reply(await client.read(until: "token-missing"))
      #expect(reply?.status == 401 && reply?["connection"] == "close")
    }
  }

  @Test func `too many requests get a time to wait, each caller separately`() async throws {
    try await GatewayWorld.run {
      $0.limits.writesPerSecond = 1
      $0.limits.writesBurst = 2
      $0.limits.attemptsPerMinute = 1
    } _: { world async throws in
      var statuses: [Int] = []
      for _ in 0..<4 {
        let reply = try await world.call("POST /users/7/counts", token: "athlete=7", body: "{}")
        statuses.append(reply.status)
        if reply.status == 429 { #expect(reply["retry-after"] == "1" && reply.has(#""rule":"rate""#)) }
      }
      #expect(statuses.prefix(2) == [201, 201] && statuses.contains(429))
      #expect(try await world.call("POST /users/8/counts", token: "athlete=8", body: "{}").status == 201)
      #expect(try await world.call("GET /users/7", token: "athlete=7").status == 200)
      #expect(try await world.call("POST /auth/login", body: "{}").status == 200)
      #expect(try await world.call("POST /auth/login", body: "{}").status == 429)
    }
  }

  @Test func `clients behind a trusted proxy are distinguished, and nobody else can pose as another`() async throws {
    for isTrusted in [true, false] {
      try await GatewayWorld.run {
        $0.limits.attemptsPerMinute = 1
        if isTrusted { $0.trustedProxies = TrustedProxies("127.0.0.0/8") ?? TrustedProxies() }
      } _: { world async throws in
        var statuses: [Int] = []
        for client in ["192.0.2.1", "192.0.2.2"] {
          let headers = ["X-Forwarded-For: \(client)"]
          statuses.append(try await world.call("POST /auth/login", body: "{}", headers: headers).status)
        }
        #expect(statuses == (isTrusted ? [200, 200] : [200, 429]))
      }
    }
  }
}
