import Crypto
import TestSupport
import Testing

@testable import Gateway

@Suite("The gateway's description and keys", .timeLimit(.minutes(2))) struct DescriptionTests {
  @Test func `the gateway's OpenAPI has every served route once, with a unique name`() async throws {
    try await SystemWorld.run { world in
      let document = try await world.description().document
      let log = try #require(try await world.call("GET /openapi.json")["ETag"])
      let known = try await world.call("GET /openapi.json", headers: ["If-None-Match: \(log)"])
      #expect(known.status == 304 && known.body.isEmpty)
      #expect(Set(document.operations.map(\.id)).count == document.operations.count)
      for operation in document.operations {
        let path = operation.path.replacing("{", with: "").replacing("}", with: "")
        let reply = try await world.call("TRACE \(path)")
        let allowed = (reply["Allow"] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        #expect(reply.status == 405 && allowed.contains { $0 == operation.method }, "\(operation.id): \(reply)")
      }
      for prefix in ["", "/v1"] { #expect(document.operation("PUT", "\(prefix)/users/7/strava") != nil) }
      #expect(document.operation("GET", "/api/v1/points/seasonal/rewards")?.path.hasSuffix("rewards") == true)
      #expect(
        document.operation("POST", "/wallets/7/deposit")?.parameters.contains { $0.isRequired && $0.place == "header" }
          == true)
      let login = try #require(document.operation("POST", "/auth/login"))
      #expect(login.responses.keys.sorted() == ["200", "401", "429", "501", "default"])
      #expect(document.operation("GET", "/races")?.responses.keys.sorted() == ["200", "304", "401", "default"])
    }
  }

  @Test func `/openapi.json of the gateway has every recorded line: a description is only added to`() async throws {
    let path = "Tests/Recorded/openapi-gateway.txt"
    try await SystemWorld.run { world in
      let text = try OpenAPILines.text(try await world.call("GET /openapi.json").body)
      let changed = try Checkout.missingLines(of: path, in: text)
      #expect(changed == [], "where a finding changes the contract, SETTLED_WRITE=1 writes \(path)")
    }
  }

  @Test func `the gateway's OpenAPI has no routes of systems that are not served`() async throws {
    try await SystemWorld.run({ $0.systems = [.checkin] }) { world in
      let document = try await world.description().document
      #expect(
        Set(document.operations.filter { $0.tag != "checkin" }.map(\.path)) == [
          "/openapi.json", "/.well-known/jwks.json",
        ])
      #expect(document.operation("GET", "/api/auth/me") != nil)
      #expect(try await world.call("GET /races").status == 404)
    }
  }

  @Test func `the gateway serves its public verification keys, former ones too, and no private one`() async throws {
    let former = P256.Signing.PrivateKey()
    try await SystemWorld.run({ $0.oldSigningKeys = former.publicKey.pemRepresentation }) { world in
      let reply = try await world.call("GET /.well-known/jwks.json")
      let ids = [world.key.id, PublicSigningKey(key: former.publicKey).id]
      let keys = try DocumentJSON(reply.body)["keys"].elements
      #expect(try keys.map { try $0["kid"].plain } == ids)
      #expect(reply["ETag"] != nil && !reply.has("\"d\""))
    }
  }
}
