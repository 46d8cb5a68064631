import ArgumentParser
import GatewaySupport
import Testing

@testable import Gateway

@Suite("A token signed by hand") struct TokenOptionsTests {
  @Test func `a token signed by hand has the requested subject, and belongs to no account`() async throws {
    let world = try await OwnWorld()
    let options = try TokenOptions.parse([
      "--athlete", "7", "--role", "payments", "--role", "moderator", "--ttl", "1h", "--username", "coach1", "--runner",
      "8",
      "--reader", "9", "--checkin", "uid-1",
    ])
    let (token, line) = try await options.token(world.issuer, at: world.clock.now)
    let caller = Caller(
      athlete: 7, username: "coach1", runner: 8, reader: 9, checkin: "uid-1", roles: [.moderator, .payments])
    #expect(try await world.caller(token) == caller)
    #expect(try Forge.claims(of: token)["exp"] == .number("\(OwnWorld.start + 3600)"))
    #expect(
      line == "signed a token for athlete:7 runner:8 reader:9 username:coach1 checkin:uid-1"
        + " with roles moderator, payments, valid for 3600 s")
  }

  @Test func `a token signed by hand lasts an hour by default, and a day at most`() throws {
    #expect(try TokenOptions.parse(["--athlete", "7"]).ttl == .seconds(3600))
    #expect(try TokenOptions.parse(["--athlete", "7", "--ttl", "24h"]).ttl == .seconds(86_400))
    #expect(try TokenOptions.parse(["--athlete", "7", "--ttl", "90s"]).ttl == .seconds(90))
    for bad in ["25h", "86401s", "0s", "-1h", "1d", "1", "", "h", "9223372036854775807h", "1.5h"] {
      #expect(throws: (any Error).self, "\(bad)") { try TokenOptions.parse(["--athlete", "7", "--ttl=\(bad)"]) }
    }
  }

  @Test func `a token signed by hand is refused for unknown roles and impossible ids`() {
    for bad in [["--role", "admin"], ["--athlete", "0"], ["--reader=-1"], ["--runner", "7.5"], ["--checkin", ""]] {
      #expect(throws: (any Error).self, "\(bad)") { try TokenOptions.parse(bad) }
    }
  }
}
