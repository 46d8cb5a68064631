import Crypto
import Foundation
import GatewaySupport
import Testing

@testable import Gateway

@Suite("A file of keys") struct KeyFileTests {
  private struct Rotation {
    let world: IssuerWorld
    let verifier: TokenVerifier
    let keys: [String: P256.Signing.PrivateKey]

    init() async throws {
      world = try IssuerWorld()
      keys = ["k1": P256.Signing.PrivateKey(), "k2": P256.Signing.PrivateKey()]
      let path = world.path("jwks.json")
      try world.write(Self.document(keys, ["k1"]), "jwks.json")
      try world.write("[\(IssuerWorld.firebase(path, alg: "ES256"))]")
      verifier = try await world.verifier()
    }

    static func document(_ keys: [String: P256.Signing.PrivateKey], _ ids: [String]) -> String {
      let jwks = ids.compactMap { id in keys[id].map { Keys.jwk($0.publicKey, id) } }
      return #"{"keys":[\#(jwks.joined(separator: ","))]}"#
    }

    func publish(_ ids: [String]) throws {
      try world.write(Self.document(keys, ids), "jwks.json")
    }

    func token(_ id: String) throws -> String {
      let key = try #require(keys[id])
      return try Forge.token(#"{"alg":"ES256","kid":"\#(id)"}"#, IssuerWorld.firebasePayload, Forge.es256(key))
    }
  }

  @Test func `a key file gives a new key to the first token that names it, and drops an old one in a second`()
    async throws
  {
    let rotation = try await Rotation()
    let (old, new) = (try rotation.token("k1"), try rotation.token("k2"))
    #expect(await rotation.verifier.refusal(old) == nil)
    #expect(await rotation.verifier.refusal(new) == .key)
    try rotation.publish(["k2"])
    rotation.world.clock.advance(by: 0.2)
    #expect(await rotation.verifier.refusal(new) == nil)
    #expect(await rotation.verifier.refusal(old) == .key)
    try rotation.publish(["k1"])
    #expect(await rotation.verifier.refusal(new) == nil)
    rotation.world.clock.advance(by: 1)
    #expect(await rotation.verifier.refusal(new) == .key)
    #expect(await rotation.verifier.refusal(old) == nil)
    #expect(rotation.world.observations == Array(repeating: .keysRead(issuer: "firebase", count: 1), count: 2))
  }

  @Test func `a key file is checked at most ten times a second, for any number of unknown keys`() async throws {
    let rotation = try await Rotation()
    let token = try rotation.token("k2")
    #expect(await rotation.verifier.refusal(token) == .key)
    try rotation.publish(["k2"])
    for _ in 0..<20 { #expect(await rotation.verifier.refusal(token) == .key) }
    rotation.world.clock.advance(by: 0.125)
    #expect(await rotation.verifier.refusal(token) == nil)
  }

  @Test func `a key file keeps its last good keys while it is missing or broken, with one log line`() async throws {
    let rotation = try await Rotation()
    let path = rotation.world.path("jwks.json")
    let token = try rotation.token("k1")
    for _ in 0..<3 {
      try rotation.world.write(#"{"keys":[{"kty":"EC""#, "jwks.json")
      rotation.world.clock.advance(by: 1)
      #expect(await rotation.verifier.refusal(token) == nil)
    }
    try FileManager.default.removeItem(atPath: path)
    rotation.world.clock.advance(by: 1)
    #expect(await rotation.verifier.refusal(token) == nil)
    try rotation.publish(["k2"])
    rotation.world.clock.advance(by: 1)
    #expect(await rotation.verifier.refusal(token) == .key)
    #expect(
      rotation.world.observations == [
        .keysUnusable(issuer: "firebase", problem: "\(path): is not JSON: line 1: a comma or } is missing"),
        .keysUnusable(issuer: "firebase", problem: "\(path): there is no such file"),
        .keysRead(issuer: "firebase", count: 1),
      ])
  }

  @Test func `a key file gives its new keys where one of them is broken, with one warning`() async throws {
    let rotation = try await Rotation()
    let path = rotation.world.path("jwks.json")
    let good = Rotation.document(rotation.keys, ["k2"])
    try rotation.world.write(good.replacing("[", with: #"[{"kty":"EC","crv":"P-256"},"#), "jwks.json")
    rotation.world.clock.advance(by: 1)
    #expect(await rotation.verifier.refusal(try rotation.token("k2")) == nil)
    #expect(await rotation.verifier.refusal(try rotation.token("k1")) == .key)
    #expect(
      rotation.world.observations == [
        .keysRead(issuer: "firebase", count: 1),
        .keyPassedOver(issuer: "firebase", problem: "\(path): key 1 cannot be used"),
      ])
    // Where none is left of those that are broken, the former ones stay.
    try rotation.world.write(#"{"keys":[{"kty":"EC","crv":"P-256"}]}"#, "jwks.json")
    rotation.world.clock.advance(by: 1)
    #expect(await rotation.verifier.refusal(try rotation.token("k2")) == nil)
  }

  @Test func `a key file without any key removes all keys`() async throws {
    let rotation = try await Rotation()
    let token = try rotation.token("k1")
    #expect(await rotation.verifier.refusal(token) == nil)
    try rotation.publish([])
    rotation.world.clock.advance(by: 1)
    #expect(await rotation.verifier.refusal(token) == .key)
  }

  @Test func `a key file serves many tokens at once while it changes`() async throws {
    let rotation = try await Rotation()
    let token = try rotation.token("k2")
    try rotation.publish(["k1", "k2"])
    rotation.world.clock.advance(by: 1)
    let refusals = await withTaskGroup(of: TokenError.Code?.self) { group in
      for _ in 0..<50 { group.addTask { await rotation.verifier.refusal(token) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals == Array(repeating: nil, count: 50))
    #expect(rotation.world.observations.count == 1)
  }
}
