import Crypto
import GatewaySupport
import Testing

@testable import Gateway

@Suite("A forged token") struct TokenAttackTests {
  @Test func `a token without a signature is refused, in any spelling of none`() async throws {
    let world = try await OwnWorld()
    for alg in ["none", "None", "NONE", "nOnE", "", "ES256 "] {
      let header = #"{"alg":"\#(alg)","kid":"\#(world.key.id)"}"#
      #expect(await world.refusal(Forge.token(header, world.payload(), { _ in [] })) == .algorithm, "\(alg)")
      #expect(await world.refusal(try world.signed(world.payload(), header: header)) == .algorithm, "\(alg)")
    }
    #expect(await world.refusal(Forge.token(world.header, world.payload(), { _ in [] })) == .signature)
  }

  @Test func `a token signed with the public key as a secret is refused`() async throws {
    let world = try await OwnWorld()
    let key = world.key.key.publicKey
    for secret in [key.pemRepresentation, key.pemRepresentation + "\n", world.key.id] {
      let sign = Forge.hs256(secret)
      #expect(
        await world.refusal(try Forge.token(#"{"alg":"HS256","kid":"\#(world.key.id)"}"#, world.payload(), sign))
          == .algorithm)
      #expect(await world.refusal(try Forge.token(world.header, world.payload(), sign)) == .signature)
    }
  }

  @Test func `a token with a key of its own is refused, embedded or by reference`() async throws {
    let world = try await OwnWorld()
    let conflict = P256.Signing.PrivateKey()
    let jwk = Keys.jwk(conflict.publicKey, world.key.id)
    for extra in [
      "", #","jwk":\#(jwk)"#, #","jku":"https://evil.example/jwks.json""#, #","x5u":"https://evil.example""#,
    ] {
      let header = #"{"alg":"ES256","kid":"\#(world.key.id)"\#(extra)}"#
      #expect(await world.refusal(try Forge.token(header, world.payload(), Forge.es256(conflict))) == .signature)
    }
  }

  @Test func `a token needs the kid of a key of its issuer, as a text`() async throws {
    let world = try await OwnWorld()
    for header in [#"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":""}"#, #"{"alg":"ES256","kid":"../../dev/null"}"#] {
      #expect(await world.refusal(try world.signed(world.payload(), header: header)) == .key)
    }
    for kid in ["null", "1", "[\"\(world.key.id)\"]"] {
      let header = #"{"alg":"ES256","kid":\#(kid)}"#
      #expect(await world.refusal(try world.signed(world.payload(), header: header)) == .malformed)
    }
  }

  @Test func `a token with a repeated name is refused, because readers could differ`()
    async throws
  {
    let world = try await OwnWorld()
    for header in [
      #"{"alg":"none","alg":"ES256","kid":"\#(world.key.id)"}"#,
      #"{"alg":"ES256","alg":"none","kid":"\#(world.key.id)"}"#,
      #"{"alg":"ES256","kid":"x","kid":"\#(world.key.id)"}"#,
      #"{"alg":"ES256","\u0061lg":"none","kid":"\#(world.key.id)"}"#,
    ] {
      #expect(await world.refusal(try world.signed(world.payload(), header: header)) == .malformed)
    }
    #expect(try await world.refusal(ofClaims: #""athlete":1,"athlete":2"#) == .malformed)
  }

  @Test func `a token with a critical extension is refused`() async throws {
    let world = try await OwnWorld()
    for extra in [#""crit":["b64"],"b64":false"#, #""crit":[]"#, #""crit":null"#] {
      let header = #"{"alg":"ES256","kid":"\#(world.key.id)",\#(extra)}"#
      #expect(await world.refusal(try world.signed(world.payload(), header: header)) == .malformed)
    }
  }

  @Test func `a token with any changed byte is refused`() async throws {
    let world = try await OwnWorld()
    let good = Array(try world.signed(world.payload(#""athlete":7"#)).utf8)
    #expect(await world.refusal(String(decoding: good, as: UTF8.self)) == nil)
    for index in good.indices {
      for byte in [UInt8(ascii: "A"), UInt8(ascii: "_"), UInt8(ascii: "="), UInt8(ascii: ".")] where good[index] != byte
      {
        var bad = good
        bad[index] = byte
        #expect(await world.refusal(String(decoding: bad, as: UTF8.self)) != nil, "byte \(index)")
      }
    }
    for bad in [good.dropLast(), good + [UInt8(ascii: "A")], good + Array("=".utf8), Array(".".utf8) + good] {
      #expect(await world.refusal(String(decoding: bad, as: UTF8.self)) != nil)
    }
  }

  @Test func `a token without three parts or over the length limit is refused`() async throws {
    let world = try await OwnWorld()
    let parts = try world.signed(world.payload()).split(separator: ".")
    for bad in [
      "", ".", "..", "...", "a.b.c", String(parts[0]), "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).",
      "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2]).\(parts[2])",
    ] {
      #expect(await world.refusal(bad) != nil, "\(bad)")
    }
    let padding = String(repeating: "x", count: 6200)
    #expect(await world.refusal(try world.signed(world.payload(#""x":"\#(padding.prefix(5700))""#))) == nil)
    #expect(await world.refusal(try world.signed(world.payload(#""x":"\#(padding)""#))) == .tooLong)
    #expect(await world.refusal(String(repeating: ".", count: 100_000)) == .tooLong)
    let deep = String(repeating: "[", count: 2500) + String(repeating: "]", count: 2500)
    #expect(await world.refusal(try world.signed(world.payload(#""x":\#(deep)"#))) == .malformed)
  }

  @Test func `the refusal of a forged token repeats none of it`() {
    for code in TokenError.Code.allCases {
      #expect(TokenError(code).description.count < 70)
    }
  }
}
