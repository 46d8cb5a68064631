import Crypto
import GatewaySupport
import JWTKit
import Testing

@testable import Gateway

@Suite("A signing key") struct SigningKeyTests {
  @Test func `a signing key is read in each form of OpenSSL, and has the id of OpenSSL and sha256sum`() throws {
    for pem in [Keys.ecPKCS8, Keys.ecWithParameters, "a comment\n" + Keys.ecPKCS8 + "\n\n"] {
      #expect(try SigningKey(pem: pem).id == Keys.ecID)
    }
    #expect(try PublicSigningKey.all(pem: Keys.ecPublic).map(\.id) == [Keys.ecID])
  }

  @Test func `a signing key that cannot sign ES256 is refused, and the error does not repeat it`() {
    let cut = String(Keys.ecPKCS8.dropLast(20))
    for pem in [
      "", "x", Keys.p384, Keys.rsaPrivate, Keys.ecPublic, cut, Keys.ecPKCS8 + "\n" + Keys.ecPKCS8,
      "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
    ] {
      let error = #expect(throws: SigningKeyError.self) { try SigningKey(pem: pem) }
      #expect(error?.description.hasPrefix("must be ") == true)
    }
  }

  @Test func `a former signing key is public, one of several in a text`() throws {
    let keys = (0..<3).map { _ in P256.Signing.PrivateKey().publicKey }
    let pem = keys.map(\.pemRepresentation).joined(separator: "\n")
    #expect(try PublicSigningKey.all(pem: pem).map(\.key.rawRepresentation) == keys.map(\.rawRepresentation))
    let cases = [
      (Keys.ecPublic + "\n" + Keys.ecPKCS8, "key 2 is private: supply its public key (openssl pkey -pubout)"),
      (Keys.ecPublic + "\n" + Keys.rsaCertificate, "key 2 is not a P-256 public key (ES256)"),
      ("", "must be public keys in PEM format"),
      (Array(repeating: Keys.ecPublic, count: 17).joined(separator: "\n"), "has more than 16 keys"),
    ]
    for (pem, problem) in cases {
      let error = #expect(throws: SigningKeyError.self) { try PublicSigningKey.all(pem: pem) }
      #expect(error?.description == problem)
    }
  }

  @Test func `a signing key is published with former ones as a JWKS document that verifies its tokens`() async throws {
    let world = try await OwnWorld()
    let former = try PublicSigningKey.all(pem: P256.Signing.PrivateKey().publicKey.pemRepresentation)
    let document = PublicSigningKey.jwks(of: [world.key.publicKey] + former + [world.key.publicKey])
    let keys = try StrictJSON(Array(document.utf8)).member(["keys"])?.elements ?? []
    #expect(keys.map { $0.member(["kid"])?.text } == [Keys.ecID, former[0].id])
    #expect(keys.allSatisfy { $0.members.map { Set($0.keys) } == ["kty", "crv", "x", "y", "use", "alg", "kid"] })
    let read = try await KeySet(document: Array(document.utf8), for: .es256)
    let token = try CompactToken(
      Array(try await world.issuer.token(for: Caller(athlete: 7), at: world.clock.now).utf8))
    #expect(try read.key(for: token.keyID)?.verify(token.signature, signs: token.signed) == true)
    #expect(try read.key(for: former[0].id)?.verify(token.signature, signs: token.signed) == false)
  }
}
