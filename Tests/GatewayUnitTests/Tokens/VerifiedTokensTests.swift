import Crypto
import GatewaySupport
import Testing

@testable import Gateway

@Suite("Tokens that were verified before") struct VerifiedTokensTests {
  @Test func `verified tokens are kept up to a limit, the most used ones longest`() async throws {
    let issuer = try await Issuer.own([try Keys.own().publicKey], publicURL: OwnWorld.url)
    let tokens = VerifiedTokens()
    let digest = { (number: Int) in SHA256.hash(data: Array("\(number)".utf8)) }
    let entry = { (number: Int64) in
      VerifiedTokens.Entry(
        caller: Caller(athlete: number), expiry: 0, issuer: issuer, keyID: nil, generation: 0)
    }
    for number in 1...30_000 {
      tokens.keep(entry(Int64(number)), digest(number))
      if number % 1000 == 0 { #expect(tokens.find(digest(1))?.caller.athlete == 1) }
      #expect(tokens.count <= VerifiedTokens.countMax)
    }
    #expect(tokens.find(digest(30_000))?.caller.athlete == 30_000)
    #expect(tokens.find(digest(2)) == nil)
  }
}
