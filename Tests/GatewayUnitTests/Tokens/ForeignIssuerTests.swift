import Crypto
import CryptoExtras
import GatewaySupport
import Testing

@testable import Gateway

@Suite("Another issuer's token") struct ForeignIssuerTests {
  private let header = #"{"typ":"JWT","alg":"HS256"}"#

  private func wordPress(_ payload: String, header: String? = nil, secret: String = IssuerWorld.secret) throws -> String
  {
    try Forge.token(header ?? self.header, payload, Forge.hs256(secret))
  }

  @Test func `a WordPress token identifies a reader by a text or number, with or without a kid`() async throws {
    let world = try IssuerWorld()
    try world.write("[\(IssuerWorld.wordPress())]")
    let verifier = try await world.verifier()
    let reader = Caller(reader: 42, issuer: "gread", subject: "reader:42")
    for id in ["42", "\"42\""] {
      #expect(await verifier.outcome(try wordPress(IssuerWorld.wordPressPayload(id: id))) == .success(reader))
    }
    let named = try wordPress(IssuerWorld.wordPressPayload(), header: #"{"alg":"HS256","kid":"any"}"#)
    #expect(await verifier.outcome(named) == .success(reader))
    for id in ["0", "-1", "4.2", "\"+42\"", "\"042\"", "\"\"", "\"x\"", "null", "[42]", "\"9223372036854775808\""] {
      #expect(await verifier.refusal(try wordPress(IssuerWorld.wordPressPayload(id: id))) == .claim, "\(id)")
    }
    for payload in [#""data":{}"#, #""data":{"user":{}}"#, #""data":"user.id""#, #""data.user.id":42"#, #""id":42"#] {
      let token = try wordPress(#"{"iss":"https://gread.example","exp":1700003600,\#(payload)}"#)
      #expect(await verifier.refusal(token) == .claim, "\(payload)")
    }
  }

  @Test func `another issuer's token gives one identity only, with any other claims`() async throws {
    let world = try IssuerWorld()
    try world.write("[\(IssuerWorld.wordPress())]")
    let claims =
      #","sub":"1","epoch":1,"athlete":7,"username":"coach1","runner":8,"reader":1,"checkin":"uid-1","#
      + #""roles":["moderator","payments"]"#
    let token = try wordPress(IssuerWorld.wordPressPayload(extra: claims))
    let outcome = await (try await world.verifier()).outcome(token)
    #expect(outcome == .success(Caller(reader: 42, issuer: "gread", subject: "reader:42")))
  }

  @Test func `another issuer's token cannot pose as the gateway's or a third issuer's`() async throws {
    let world = try IssuerWorld()
    let rsa = try Keys.rsa()
    let file = try world.write(#"{"keys":[\#(try Keys.jwk(rsa.publicKey, "k1"))]}"#, "jwks.json")
    try world.write("[\(IssuerWorld.wordPress()),\(IssuerWorld.firebase(file))]")
    let verifier = try await world.verifier()
    let own = #"{"iss":"\#(OwnWorld.url)","aud":"\#(OwnWorld.url)","exp":1700003600,"roles":["payments"]}"#
    #expect(await verifier.refusal(try wordPress(own)) == .algorithm)
    #expect(await verifier.refusal(try wordPress(own, header: #"{"alg":"ES256","kid":"\#(Keys.ecID)"}"#)) == .signature)
    #expect(await verifier.refusal(try wordPress(IssuerWorld.firebasePayload)) == .algorithm)
    let confused = try wordPress(IssuerWorld.firebasePayload, header: #"{"alg":"RS256","kid":"k1"}"#)
    #expect(await verifier.refusal(confused) == .signature)
    let swapped = try Forge.token(
      #"{"alg":"RS256","kid":"k1"}"#, IssuerWorld.wordPressPayload(), Forge.rs256(rsa))
    #expect(await verifier.refusal(swapped) == .algorithm)
    let pem = rsa.publicKey.pemRepresentation
    #expect(await verifier.refusal(try wordPress(IssuerWorld.firebasePayload, secret: pem)) == .algorithm)
    let ownKey = Forge.es256(try Keys.own().key)
    let mixed = try Forge.token(#"{"alg":"ES256","kid":"\#(Keys.ecID)"}"#, IssuerWorld.wordPressPayload(), ownKey)
    #expect(await verifier.refusal(mixed) == .algorithm)
  }

  @Test func `a Firebase token identifies a check-in user, with keys from JWKS or certificates`() async throws {
    let world = try IssuerWorld()
    let rsa = try Keys.rsa()
    let certificate = Keys.rsaCertificate.split(separator: "\n").joined(separator: "\\n") + "\\n"
    for document in [#"{"keys":[\#(try Keys.jwk(rsa.publicKey, "k1"))]}"#, #"{"k1":"\#(certificate)"}"#] {
      let file = try world.write(document, "jwks.json")
      try world.write("[\(IssuerWorld.firebase(file))]")
      let verifier = try await world.verifier()
      let sign: (String, String) throws -> String = { try Forge.token($0, $1, Forge.rs256(rsa)) }
      let header = #"{"alg":"RS256","kid":"k1","typ":"JWT"}"#
      #expect(
        await verifier.outcome(try sign(header, IssuerWorld.firebasePayload))
          == .success(Caller(checkin: "uid-1", issuer: "firebase", subject: "checkin:uid-1")))
      #expect(await verifier.refusal(try sign(#"{"alg":"RS256"}"#, IssuerWorld.firebasePayload)) == .key)
      #expect(await verifier.refusal(try sign(#"{"alg":"RS256","kid":"k2"}"#, IssuerWorld.firebasePayload)) == .key)
      let other = IssuerWorld.firebasePayload.replacing(#""aud":"app""#, with: #""aud":"other""#)
      #expect(await verifier.refusal(try sign(header, other)) == .audience)
      let pss = try Forge.token(header, IssuerWorld.firebasePayload) {
        Array(try rsa.signature(for: SHA256.hash(data: $0), padding: .PSS).rawRepresentation)
      }
      #expect(await verifier.refusal(pss) == .signature)
    }
  }

  @Test func `another issuer's token has the same rules of time and signature as an own one`() async throws {
    let world = try IssuerWorld()
    let rsa = try Keys.rsa()
    let file = try world.write(#"{"keys":[\#(try Keys.jwk(rsa.publicKey, "k1"))]}"#, "jwks.json")
    try world.write("[\(IssuerWorld.wordPress()),\(IssuerWorld.firebase(file))]")
    let verifier = try await world.verifier()
    for header in [#"{"alg":"none"}"#, #"{"alg":"HS384"}"#, #"{"alg":"HS512"}"#] {
      #expect(await verifier.refusal(try wordPress(IssuerWorld.wordPressPayload(), header: header)) == .algorithm)
    }
    let guessed = try wordPress(IssuerWorld.wordPressPayload(), secret: IssuerWorld.secret + " ")
    #expect(await verifier.refusal(guessed) == .signature)
    for signature in [[], [0], [UInt8](repeating: 0, count: 255), [UInt8](repeating: 0xFF, count: 256)] {
      let token = Forge.token(#"{"alg":"RS256","kid":"k1"}"#, IssuerWorld.firebasePayload) { _ in signature }
      #expect(await verifier.refusal(token) == .signature)
    }
    let good = try wordPress(IssuerWorld.wordPressPayload())
    #expect(await verifier.refusal(good) == nil)
    world.clock.advance(by: 3600)
    #expect(await verifier.refusal(good) == .expired)
    world.clock.advance(by: -3661)
    #expect(await verifier.refusal(try wordPress(IssuerWorld.wordPressPayload(id: "43"))) == .notYet)
  }

  @Test(arguments: ["null", "\"app\""])
  func `another issuer's token with an empty list of audiences is refused without a trap`(aud: String) async throws {
    let world = try IssuerWorld()
    try world.write("[\(IssuerWorld.wordPress(aud: aud))]")
    let verifier = try await world.verifier()
    for bad in ["[]", "null", "[[]]", "{}", "7"] {
      let token = try wordPress(IssuerWorld.wordPressPayload(extra: #","aud":\#(bad)"#))
      #expect(await verifier.refusal(token) == .claim, "\(bad)")
    }
    let token = try wordPress(IssuerWorld.wordPressPayload(extra: #","aud":["x","app"]"#))
    #expect(await verifier.refusal(token) == nil)
    #expect(await verifier.refusal(try wordPress(IssuerWorld.wordPressPayload())) == (aud == "null" ? nil : .audience))
  }
}
