import Crypto
import CryptoExtras
import Foundation
import GatewaySupport
import Testing

@testable import Gateway

@Suite("The file of issuers") struct IssuersFileTests {
  private func changed(_ key: String, _ value: String) -> String {
    let entry = IssuerWorld.wordPress()
    let members = try? StrictJSON(Array(entry.utf8)).members
    guard case .string(let old) = members?[key] else {
      return entry.replacing(#""\#(key)":null"#, with: #""\#(key)":\#(value)"#)
    }
    return entry.replacing(#""\#(key)":"\#(old)""#, with: #""\#(key)":\#(value)"#)
  }

  @Test func `the file of issuers may be an empty list`() async throws {
    #expect(try await IssuerWorld().problems("[]") == [])
  }

  @Test(arguments: [
    ("name", "\"Big\"", "issuers.json: issuer 1: name: must have 1 to 40 characters from a-z, 0-9, - and _"),
    ("name", "\"settled\"", "issuers.json: issuer 1 (settled): name: is the gateway's own"),
    ("name", "7", "issuers.json: issuer 1: name: must be a string"),
    ("iss", "\"https://play.example\"", "issuers.json: issuer 1 (gread): iss: is the gateway's own public_url"),
    ("iss", "\"\"", "issuers.json: issuer 1 (gread): iss: must be 1 to 1000 bytes long"),
    ("aud", "[]", "issuers.json: issuer 1 (gread): aud: must be a string"),
    ("alg", "\"none\"", "issuers.json: issuer 1 (gread): alg: must be one of ES256, HS256, RS256"),
    (
      "key", "\"hunter2\"",
      "issuers.json: issuer 1 (gread): key: has 7 bytes, but an HS256 secret needs at least 32"
    ),
    ("key", "null", "issuers.json: issuer 1 (gread): key: must be a string"),
    ("identity", "\"account\"", "issuers.json: issuer 1 (gread): identity: must be one of athlete, checkin, reader"),
    ("claim", "\"data..id\"", "issuers.json: issuer 1 (gread): claim: must be a name, or names joined by dots"),
    (
      "alg", "\"RS256\"",
      "issuers.json: issuer 1 (gread): key: is not used with RS256\n"
        + "issuers.json: issuer 1 (gread): jwks_file: is missing"
    ),
  ])
  func `the file of issuers is refused with entry and key of a wrong value`(key: String, value: String, problem: String)
    async throws
  {
    let problems = try await IssuerWorld().problems("[\(changed(key, value))]")
    #expect(problems.joined(separator: "\n") == problem)
  }

  @Test func `the file of issuers is refused for missing, unknown and repeated keys`() async throws {
    let world = try IssuerWorld()
    let entry = IssuerWorld.wordPress()
    #expect(
      try await world.problems("[\(entry.replacing(#""aud":null,"#, with: ""))]")
        == ["issuers.json: issuer 1 (gread): aud: is missing: set it to null to accept tokens for any audience"])
    #expect(
      try await world.problems("[\(entry.replacing("claim", with: "claims"))]") == [
        "issuers.json: issuer 1 (gread): claims: is not a valid issuer key",
        "issuers.json: issuer 1 (gread): claim: is missing",
      ])
    #expect(
      try await world.problems("[\(entry),\(entry)]") == [
        "issuers.json: issuer 2 (gread): name: is duplicated", "issuers.json: issuer 2 (gread): iss: is duplicated",
      ])
    #expect(try await world.problems("[{}]") == ["issuers.json: issuer 1: is empty"])
    #expect(try await world.problems("[7]") == ["issuers.json: issuer 1: is not an object"])
    #expect(
      try await world.problems("[\n\(entry.replacing("{", with: #"{"alg":"RS256","#))]")
        == ["issuers.json: line 2: a name is duplicated"])
  }

  @Test func `the file of issuers is refused as a whole when it is not a list`() async throws {
    let world = try IssuerWorld()
    #expect(try await world.problems("{}") == ["issuers.json: is not a list of issuers"])
    #expect(try await world.problems("") == ["issuers.json: line 1: is not a JSON value"])
    #expect(
      try await world.problems("[" + String(repeating: "7,", count: 64) + "7]") == [
        "issuers.json: has more than 64 issuers"
      ])
    #expect(try await world.problems(String(repeating: " ", count: 300_000)) == ["issuers.json: has more than 256 KiB"])
    await #expect(throws: IssuersError.self) { try await (try IssuerWorld()).read() }
  }

  @Test func `errors of the file of issuers repeat no secret`() async throws {
    let world = try IssuerWorld()
    for text in [
      "[\(changed("identity", "7"))]", "[\(IssuerWorld.wordPress())", "[\(changed("alg", "\"ES256\""))]",
      #"["\#(IssuerWorld.secret)"]"#, #"[{"\#(IssuerWorld.secret)":1}]"#,
    ] {
      let problems = try await world.problems(text)
      #expect(!problems.isEmpty && !problems.contains { $0.contains(IssuerWorld.secret) }, "\(problems)")
    }
  }

  @Test func `a file of issuers with a secret that everybody can read causes a warning`() async throws {
    let world = try IssuerWorld()
    try world.write("[\(IssuerWorld.wordPress())]")
    for (mode, warnings) in [(0o644, 1), (0o640, 0)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: world.path)
      #expect(try await world.read().warnings.count == warnings)
    }
  }

  @Test func `the file of issuers is refused when a file of keys is unusable`() async throws {
    let world = try IssuerWorld()
    let place = "issuers.json: issuer 1 (firebase): jwks_file:"
    #expect(try await world.problems("[\(IssuerWorld.firebase("jwks.json"))]") == ["\(place) must be an absolute path"])
    let path = world.path("jwks.json")
    let entry = "[\(IssuerWorld.firebase(path))]"
    #expect(try await world.problems(entry) == ["\(place) there is no such file"])
    #expect(try await world.problems("[\(IssuerWorld.firebase("/dev/zero"))]") == ["\(place) is not a regular file"])
    let ec = Keys.jwk(P256.Signing.PrivateKey().publicKey, "k1")
    let cases = [
      ("{", "is not JSON: line 1: a name is missing"), ("[]", "is not a JSON object"),
      (#"{"keys":7}"#, "keys is not a list"),
      (#"{"keys":[]}"#, "has no key for RS256"), (#"{"keys":[\#(ec)]}"#, "has no key for RS256"),
      (#"{"keys":[{"kty":"RSA","kid":"a"}]}"#, "key 1 cannot be used"),
      (#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, "key 1 cannot be used"),
      (#"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}"#, "key 1 cannot be used"),
      (#"{"k1":"x"}"#, "has no keys member, and one of its members is not a certificate for RS256"),
      ("{}", "has no key for RS256"),
    ]
    for (document, problem) in cases {
      try world.write(document, "jwks.json")
      #expect(try await world.problems(entry) == ["\(place) \(problem)"], "\(document)")
    }
  }

  @Test func `a key that cannot be used is passed over with a warning, and the others of its file are used`()
    async throws
  {
    let world = try IssuerWorld()
    let path = world.path("jwks.json")
    try world.write("[\(IssuerWorld.firebase(path))]")
    let rsa = try Keys.jwk(Keys.rsa().publicKey, "a")
    for (broken, index) in [
      (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, 1), (#"{"kty":"RSA","kid":"b","n":"AQAB","e":"AQAB"}"#, 1), (rsa, 2),
    ] {
      try world.write(#"{"keys":[\#(index == 1 ? "\(broken),\(rsa)" : "\(rsa),\(broken)")]}"#, "jwks.json")
      let warnings = try await world.read().warnings
      #expect(
        warnings.map { $0.replacing(path, with: "jwks.json").suffix(47) }
          == ["(firebase): jwks_file: jwks.json: key \(index) cannot be used".suffix(47)], "\(broken): \(warnings)")
    }
  }
}
