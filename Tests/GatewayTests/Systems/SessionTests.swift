import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("Sessions over HTTP", .timeLimit(.minutes(3))) struct SessionTests {
  @Test(arguments: [
    "accounts.grant_role('ann@example.com', 'moderator')", "accounts.revoke_role('ann@example.com', 'payments')",
    "accounts.link('ann@example.com', reader => 7)", "accounts.unlink('ann@example.com', '{checkin}')",
    "accounts.disable('ann@example.com')",
  ])
  func `sessions end at once when the account changes`(change: String) async throws {
    try await SystemWorld.run {
      $0.allowManyAttempts()
    } _: { world in
      let athlete = try await world.athlete("Ann")
      try await world.account("ann@example.com", athlete: athlete, checkin: "ann")
      try await world.owner.script(
        "SELECT accounts.grant_role('ann@example.com', 'payments'); SELECT achievements.create_user(7, 'Ann');")
      let token = try DocumentJSON(try await world.logIn("ann@example.com").body)["token"].plain
      let lines = [
        "GET /users/\(athlete)", "GET /races", "GET /api/auth/me", "GET /auth/validate", "GET /openapi.json",
      ]
      for line in lines { #expect(try await world.call(line, token: token).status == 200, "\(line)") }
      try await world.owner.execute("SELECT \(raw: change)")
      for line in lines {
        let reply = try await world.call(line, token: token)
        #expect(reply.status == 401 && reply.has(#""rule":"token""#), "\(line): \(reply)")
      }
      let again = try await world.logIn("ann@example.com")
      #expect(again.status == (change.contains("disable") ? 401 : 200), "\(again)")
    }
  }

  @Test func `a log-out ends all tokens of the account, and of nobody else`() async throws {
    try await SystemWorld.run {
      $0.allowManyAttempts()
    } _: { world in
      try await world.account("ann@example.com", checkin: "ann")
      try await world.account("ben@example.com", checkin: "ben")
      func logIn(_ name: String) async throws -> String {
        try DocumentJSON(try await world.logIn("\(name)@example.com").body)["token"].plain
      }
      let (first, second, other) = (try await logIn("ann"), try await logIn("ann"), try await logIn("ben"))
      let out = try await world.call("POST /auth/logout", token: first)
      #expect(out.status == 204 && out.body.isEmpty && out["Content-Type"] == nil, "\(out)")
      for (token, status) in [(first, 401), (second, 401), (other, 200), (try await logIn("ann"), 200)] {
        #expect(try await world.call("GET /api/auth/me", token: token).status == status)
      }
    }
  }
}
