import Crypto
import GatewaySupport
import Postgres
import Testing

@testable import Gateway

@Suite("An own token") struct OwnTokenTests {
  static let everything = Caller(
    account: 12, epoch: 3, athlete: 7, username: "coach1", runner: 8, reader: 9, checkin: "uid-1",
    roles: [.moderator, .payments])

  @Test(arguments: [everything, Caller(), Caller(athlete: 7)])
  func `an own token carries all of its subject or fails`(caller: Caller) async throws {
    let world = try await OwnWorld()
    let token = try await world.issuer.token(for: caller, at: world.clock.now)
    #expect(try await world.caller(token) == caller)
  }

  @Test func `an own token has its documented claims, and omits missing ones`() async throws {
    let world = try await OwnWorld()
    let all = try Forge.claims(of: try await world.issuer.token(for: Self.everything, at: world.clock.now))
    #expect(
      all == [
        "iss": .string(OwnWorld.url), "aud": .string(OwnWorld.url), "sub": .string("12"), "epoch": .number("3"),
        "athlete": .number("7"), "username": .string("coach1"), "runner": .number("8"), "reader": .number("9"),
        "checkin": .string("uid-1"), "roles": .array([.string("moderator"), .string("payments")]),
        "iat": .number("1700000000"), "exp": .number("1700604800"),
      ])
    let none = try Forge.claims(of: try await world.issuer.token(for: Caller(), at: world.clock.now))
    #expect(Set(none.keys) == ["iss", "aud", "iat", "exp"])
  }

  @Test func `an own token is not signed with content that would be refused`() async throws {
    let world = try await OwnWorld()
    for caller in [
      Caller(account: 1), Caller(epoch: 1), Caller(athlete: 0), Caller(username: ""),
      Caller(checkin: String(repeating: "x", count: 201)),
    ] {
      await #expect(throws: TokenError(.claim)) { try await world.issuer.token(for: caller, at: world.clock.now) }
    }
  }

  @Test func `an own token ends at the second of exp, also after it was seen before`() async throws {
    let world = try await OwnWorld()
    let token = try await world.issuer.token(for: Caller(athlete: 7), lasting: .seconds(60), at: world.clock.now)
    #expect(try await world.caller(token)?.athlete == 7)
    world.clock.set(Double(OwnWorld.start) + 59.999)
    #expect(try await world.caller(token)?.athlete == 7)
    world.clock.set(Double(OwnWorld.start) + 60)
    #expect(await world.refusal(token) == .expired)
  }

  @Test func `an own token of a former key is valid while its public key is listed`() async throws {
    let former = try SigningKey(pem: P256.Signing.PrivateKey().pemRepresentation)
    let now = Timestamp(microseconds: OwnWorld.start * 1_000_000)
    let token = try await TokenIssuer(former, publicURL: OwnWorld.url).token(for: Caller(athlete: 7), at: now)
    #expect(await (try OwnWorld()).refusal(token) == .key)
    let listed = try PublicSigningKey.all(pem: former.key.publicKey.pemRepresentation)
    #expect(try await OwnWorld(former: listed).caller(token)?.athlete == 7)
  }

  @Test func `an own token is absent without a header, and needs the scheme Bearer`() async throws {
    let world = try await OwnWorld()
    let token = try await world.issuer.token(for: Caller(athlete: 7), at: world.clock.now)
    #expect(try await world.verifier.caller(of: nil) == nil)
    #expect(try await world.verifier.caller(of: "bEARER   \(token)")?.athlete == 7)
    for header in [
      "", "Bearer", "Bearer ", token, "Basic \(token)", "Bearer \(token) x", "Bearer\t\(token)", "Bearer é",
    ] {
      await #expect(throws: TokenError.self, "\(header.prefix(20))") { try await world.verifier.caller(of: header) }
    }
  }

  @Test func `an own token counts in limits and logs by its account, else by its identities`() {
    #expect(Self.everything.identity == "settled/account:12")
    #expect(Caller(athlete: 7, reader: 9).identity == "settled/athlete:7 reader:9")
    #expect(Caller(roles: [.payments]).identity == "settled/nobody")
  }
}
