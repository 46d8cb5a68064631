import Gateway
import TestSupport
import Testing

@Suite("The rules of HTTP") struct RulesTests {
  @Test func `HEAD is answered as GET, without the body`() async throws {
    try await GatewayWorld.run { world async throws in
      let get = try await world.call("GET /echo/1")
      let head = try await world.call("HEAD /echo/1")
      #expect(get.status == 200 && head.status == 200)
      #expect(head.body == "")
      #expect(head["content-length"] == String(get.body.utf8.count))
      #expect(head["etag"] == get["etag"])
    }
  }

  @Test func `a wrong method on a path is 405 with the allowed ones`() async throws {
    try await GatewayWorld.run { world async throws in
      let reply = try await world.call("DELETE /v1/users/7")
      #expect(reply.status == 405)
      #expect(reply["allow"] == "GET, HEAD, PUT")
      #expect(reply.has(#""rule":"method""#))
      let literal = try await world.call("POST /api/v1/points/seasonal/progress", body: "{}")
      #expect(literal.status == 405 && literal["allow"] == "GET, HEAD")
      let odd = try await world.call("BREW /echo/1")
      #expect(odd.status == 405 || odd.status == 400)
    }
  }

  @Test(arguments: [
    ("/nothing", #""type":"settled:path""#), ("/v1/nothing", #""type":"settled:path""#),
    ("/api/v1/nothing", #"{"error":"this path does not exist","rule":"path"}"#),
    ("/wp-json/gread/v1/nothing", #"{"code":"rest_no_route","#), ("/gread/v3/x", #""data":{"status":404}}"#),
    ("/api/nothing", #"{"error":"Not found","message":"this path does not exist","rule":"path"}"#),
    ("//echo/1", #""rule":"path""#), ("/echo/1/", #""rule":"path""#), ("/echo//", #""rule":"path""#),
    ("*", #""rule":"path""#),
  ])
  func `an unknown path is 404 in the words of the nearest system`(path: String, words: String) async throws {
    try await GatewayWorld.run { world async throws in
      let reply = try await world.call("GET \(path)")
      #expect(reply.status == 404 && reply.has(words), "\(reply)")
    }
  }

  @Test func `literal segments win over parameters, and a route sees its prefix`() async throws {
    try await GatewayWorld.run { world async throws in
      #expect(try await world.call("GET /api/v1/points/seasonal/progress").has("literal"))
      #expect(try await world.call("GET /api/v1/points/seasonal/5").has(#""runner": "5""#))
      for prefix in ["", "/v1"] {
        #expect(try await world.call("GET \(prefix)/echo/1").has(#""prefix": "\#(prefix)""#))
      }
      for prefix in ["/gread/v1", "/gread/v2", "/wp-json/gread/v1", "/wp-json/gread/v2"] {
        let reply = try await world.call("GET \(prefix)/me/achievements", token: "reader=5")
        #expect(reply.has(#""prefix": "\#(prefix)""#), "\(reply)")
      }
    }
  }

  @Test func `a system that is not served has no routes`() async throws {
    try await GatewayWorld.run {
      $0.systems = [.racepace]
    } _: { world async throws in
      #expect(try await world.call("GET /echo/1").status == 200)
      #expect(try await world.call("GET /api/v1/points/seasonal/5").status == 404)
    }
  }

  @Test func `public answers have a strong tag, and are 304 for a client that has them`() async throws {
    try await GatewayWorld.run { world async throws in
      let first = try await world.call("GET /echo/1")
      let tag = try #require(first["etag"])
      #expect(tag.hasPrefix("\"") && first["cache-control"] == "no-cache" && first["vary"] == "Authorization")
      for known in [tag, "\"other\", W/\(tag)", "*"] {
        let again = try await world.call("GET /echo/1", headers: ["If-None-Match: \(known)"])
        #expect(again.status == 304 && again.body == "" && again["etag"] == tag, "\(again)")
      }
      #expect(try await world.call("GET /echo/2", headers: ["If-None-Match: \(tag)"]).status == 200)
      let own = try await world.call("GET /echo/1", token: "athlete=7", headers: ["If-None-Match: \(tag)"])
      #expect(own.status == 200 && own["etag"] == nil && own["cache-control"] == "no-store")
      #expect(try await world.call("GET /nothing")["cache-control"] == "no-store")
    }
  }

  @Test func `a list links to its next page until its end`() async throws {
    try await GatewayWorld.run { world async throws in
      let first = try await world.call("GET /v1/things?status=a%20b")
      #expect(first["link"] == #"<https://settled.example/v1/things?status=a%20b&limit=50&after=50>; rel="next""#)
      let second = try await world.call("GET /v1/things?limit=100&after=50")
      #expect(second.has(#"{"id": "51"}"#) && second.has(#"{"id": "120"}"#) && second["link"] == nil)
      for bad in ["limit=0", "limit=101", "limit=x", "after=x", "limit=1&limit=2"] {
        let reply = try await world.call("GET /things?\(bad)")
        #expect(reply.status == 400, "\(bad)")
      }
    }
  }

  @Test func `a request id is echoed, and made when it is missing or malformed`() async throws {
    try await GatewayWorld.run { world async throws in
      #expect(try await world.call("GET /echo/1", headers: ["X-Request-Id: one-2"])["x-request-id"] == "one-2")
      for bad in [
        ["X-Request-Id: a b"], ["X-Request-Id: \(String(repeating: "a", count: 201))"], [], ["X-Request-Id: é"],
      ] {
        let id = try await world.call("GET /nothing", headers: bad)["x-request-id"]
        #expect(id?.count == 32, "\(id ?? "none")")
      }
    }
  }

  @Test func `paths and queries are percent-encoded UTF-8 without NUL`() async throws {
    try await GatewayWorld.run { world async throws in
      #expect(try await world.call("GET /echo/a%2Fb%20%C3%A9?name=x+y%26").has(#""id": "a/b é", "name": "x y&""#))
      for bad in ["/echo/%ff", "/echo/%0", "/echo/a%00b", "/echo/1?name=%ff", "/echo/1?name=%00", "/echo/1?a=1&a=2"] {
        let reply = try await world.call("GET \(bad)")
        #expect(reply.status == 400, "\(bad) \(reply)")
      }
      #expect(try await world.call("GET /races/9223372036854775808").status == 404)
      #expect(try await world.call("GET /races/5").has(#"{"id": 5}"#))
    }
  }

  @Test func `pages of listed origins may call the gateway, and no others`() async throws {
    try await GatewayWorld.run {
      $0.corsOrigins = ["https://app.example"]
    } _: { world async throws in
      let listed = ["Origin: https://app.example"], other = ["Origin: https://evil.example"]
      let preflight = try await world.call("OPTIONS /users/7", headers: listed)
      #expect(preflight.status == 204 && preflight.body == "" && preflight["content-length"] == nil)
      #expect(preflight["access-control-allow-origin"] == "https://app.example")
      #expect(preflight["access-control-allow-methods"] == "GET, HEAD, PUT, OPTIONS")
      #expect(
        preflight["access-control-allow-headers"] == "Authorization, Content-Type, Idempotency-Key, X-Request-Id")
      #expect(preflight["access-control-max-age"] == "600")
      #expect(try await world.call("OPTIONS /users/7", headers: other).status == 405)
      #expect(try await world.call("OPTIONS /nothing", headers: listed).status == 404)
      for (headers, origin) in [(listed, "https://app.example"), (other, nil), ([], nil)] {
        for path in ["/echo/1", "/users/7", "/nothing"] {
          let reply = try await world.call("GET \(path)", headers: headers)
          #expect(reply["access-control-allow-origin"] == origin)
          #expect(reply["vary"]?.contains("Origin") == true)
        }
      }
    }
  }

  @Test func `the log has a line for each request, without path, query and token`() async throws {
    try await GatewayWorld.run { world async throws in
      _ = try await world.call("GET /v1/users/7?secret=1", token: "athlete=7", headers: ["X-Request-Id: a1"])
      _ = try await world.call("GET /private-path", headers: ["X-Request-Id: a2"])
      try await untilTrue("two lines") { world.log.lines.filter { $0.contains(" request=a") }.count == 2 }
      let lines = world.log.lines.filter { $0.hasPrefix("info: request ") }
      #expect(lines.contains { $0.contains("identity=settled/athlete:7 method=GET ms=") })
      #expect(lines.contains { $0.contains("request=a1 route=/v1/users/:id status=200") })
      #expect(lines.contains { $0.contains("request=a2 route=- rule=path status=404") })
      #expect(!lines.contains { $0.contains("secret") || $0.contains("private") || $0.contains("Bearer") })
    }
  }
}
