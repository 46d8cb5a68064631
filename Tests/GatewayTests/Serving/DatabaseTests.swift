import Gateway
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Calls of the database") struct DatabaseTests {
  @Test(arguments: [
    ("SD400", 400), ("SD401", 401), ("SD402", 402), ("SD403", 403), ("SD404", 404), ("SD409", 409), ("SD429", 429),
  ])
  func `a call that a rule refuses answers with status, rule and text`(state: String, status: Int) async throws {
    try await GatewayWorld.run { world async throws in
      let reply = try await world.call("GET /refusals/\(state)")
      #expect(reply.status == status && reply.has(#""detail":"these are words""#), "\(reply)")
      #expect(reply.has(#""rule":"some-rule""#) && reply["content-type"] == "application/problem+json")
    }
  }

  @Test(arguments: [
    ("/refusals/08006", 503), ("/refusals/53200", 503), ("/refusals/55P03", 503), ("/refusals/57P03", 503),
    ("/refusals/40001", 503), ("/refusals/P0001", 500), ("/refusals/SD499", 500), ("/refusals/42501", 500),
    ("/bugs/secret", 500), ("/bugs/missing", 500),
  ])
  func `a call that fails for the moment is 503, and any other error hides its details`(path: String, status: Int)
    async throws
  {
    try await GatewayWorld.run { world async throws in
      let reply = try await world.call("GET \(path)")
      #expect(reply.status == status, "\(reply)")
      #expect((reply["retry-after"] != nil) == (status == 503))
      #expect(!reply.has("words") && !reply.has("nothing()"), "\(reply)")
      try await untilTrue("a line in the log") { world.log.lines.contains { $0.contains("a request failed") } }
    }
  }

  @Test func `a call that conflicts with another transaction is repeated, at most three times`() async throws {
    for (failures, status) in [(3, 200), (4, 503)] {
      try await GatewayWorld.run { world async throws in
        #expect(try await world.call("GET /conflicts/\(failures)").status == status)
      }
    }
  }

  @Test func `a call with a key has one effect, and its key belongs to the caller`() async throws {
    try await GatewayWorld.run { world async throws in
      func count(_ key: String?, body: String = "{}", token: String = "athlete=7", path: String = "/users/7")
        async throws
        -> Reply
      {
        try await world.call(
          "POST \(path)/counts", token: token, body: body, headers: key.map { ["Idempotency-Key: \($0)"] } ?? [])
      }
      let first = try await count("a")
      #expect(first.status == 201)
      for path in ["/users/7", "/v1/users/7"] {
        let again = try await count("a", path: path)
        #expect(again.status == 201 && again.body == first.body)
      }
      let other = try await count("a", body: #"{"name":"x"}"#)
      #expect(other.status == 409 && other.has(#""rule":"idempotency-key""#))
      #expect(try await count("b").body != first.body)
      #expect(try await count("a", token: "athlete=8", path: "/users/8").body != first.body)
      #expect(try await count(nil).body != (try await count(nil).body))
      for bad in ["", "a b", String(repeating: "k", count: 201)] { #expect(try await count(bad).status == 400) }
      #expect(try await world.call("POST /wallets/7/deposit", token: "roles=payments", body: "{}").status == 400)
    }
  }

  @Test func `two calls with one key at one moment have one effect`() async throws {
    try await GatewayWorld.run { world async throws in
      let bodies = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<12 {
          group.addTask {
            try await world.call(
              "POST /users/7/counts", token: "athlete=7", body: "{}", headers: ["Idempotency-Key: same"]
            ).body
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(bodies.count == 1, "\(bodies)")
    }
  }

  @Test func `a call that takes too long or loses its connection is 503`() async throws {
    try await GatewayWorld.run { world async throws in
      async let slow = world.call("GET /waits/30")
      async let lost = world.call("GET /waits/30")
      let owner = try await world.database.connect()
      try await untilTrue("the call runs") {
        try await owner.query(
          """
          SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'PgSleep' AND pid = (
            SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database())
          """
        ).one(Int64.self) == 1
      }
      await owner.close()
      for reply in [try await slow, try await lost] {
        #expect(reply.status == 503 && reply["retry-after"] == "1", "\(reply)")
      }
      #expect(try await world.call("GET /echo/1").status == 200)
    }
  }

  @Test func `a call that is given up is logged, and counted once with its route`() async throws {
    try await GatewayWorld.run {
      $0.limits.request = .milliseconds(300)
    } _: { world async throws in
      let reply = try await world.call("GET /waits/30")
      #expect(reply.status == 503 && reply.has(#""rule":"timeout""#))
      try await untilTrue("its line") { world.log.lines.contains { $0.contains("route=/waits/:seconds") } }
      let metrics = try await world.call("GET /metrics", on: world.health).body
      #expect(
        metrics.contains(#"settled_gateway_requests_total{class="5xx",method="GET",route="/waits/:seconds"} 1"# + "\n"))
    }
  }

  @Test func `calls are 503 while the database is unreachable, and recover without a restart`() async throws {
    try await GatewayWorld.run { world async throws in
      let ready = { @Sendable in try await world.call("GET /health/ready", on: world.health).status }
      try await untilTrue("ready") { try await ready() == 200 }
      try await TestCluster.shared.administer(
        "ALTER DATABASE \(raw: world.database.name.quotedIdentifier) ALLOW_CONNECTIONS false")
      try await TestCluster.shared.administer(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(world.database.name)")
      try await untilTrue("not ready") { try await ready() == 503 }
      let away = try await world.call("GET /echo/1")
      #expect(away.status == 503 && away["retry-after"] == "1", "\(away)")
      #expect(try await world.call("GET /health/live", on: world.health).status == 200)
      try await TestCluster.shared.administer(
        "ALTER DATABASE \(raw: world.database.name.quotedIdentifier) ALLOW_CONNECTIONS true")
      try await untilTrue("ready again") { try await ready() == 200 }
      try await untilTrue("answered again") { try await world.call("GET /echo/1").status == 200 }
      #expect(world.log.lines.filter { $0.contains("the database is unreachable; trying again") }.count == 1)
    }
  }

  @Test func `public calls may be answered by a standby, and by the primary when that is away`() async throws {
    let standby = try await TestCluster.shared.database()
    let connection = try await standby.connect()
    try await connection.script(EchoRoutes.schema + "SELECT setval('gateway.numbers', 1000)")
    await connection.close()
    try await GatewayWorld.run {
      $0.readDatabaseURL = standby.url()
    } _: { world async throws in
      #expect(try await world.call("GET /counts").has("1001"))
      #expect(try await world.call("POST /users/7/counts", token: "athlete=7", body: "{}").has(#"{"count": 1}"#))
      #expect(try await world.call("GET /counts", token: "athlete=7").has(#"{"count": 2}"#))
    }
    try await GatewayWorld.run {
      $0.readDatabaseURL = "postgresql:///nowhere?host=/nowhere"
    } _: { world async throws in
      #expect(try await world.call("GET /counts").has(#"{"count": 1}"#))
    }
  }

  @Test func `calls are counted by route and status, with their times`() async throws {
    try await GatewayWorld.run { world async throws in
      for path in ["/echo/1", "/echo/2", "/refusals/SD404", "/nothing"] { _ = try await world.call("GET \(path)") }
      // The database is looked at for the first time while the gateway starts.
      try await untilTrue("the first look at the database") {
        try await world.call("GET /health/ready", on: world.health).status == 200
      }
      let metrics = try await world.call("GET /metrics", on: world.health).body
      for line in [
        #"settled_gateway_requests_total{class="2xx",method="GET",route="/echo/:id"} 2"#,
        #"settled_gateway_requests_total{class="4xx",method="GET",route="/refusals/:state"} 1"#,
        #"settled_gateway_requests_total{class="4xx",method="GET",route="-"} 1"#,
        #"settled_gateway_request_seconds_count{method="GET",route="/echo/:id"} 2"#,
        #"settled_gateway_request_seconds_bucket{le="+Inf",method="GET",route="/echo/:id"} 2"#,
        "settled_gateway_up 1", "settled_gateway_pool_waiting 0",
      ] {
        #expect(metrics.contains(line + "\n"), "\(line) is not in \(metrics)")
      }
    }
  }
}
