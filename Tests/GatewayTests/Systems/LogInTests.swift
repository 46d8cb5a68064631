import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("Logging in over HTTP", .timeLimit(.minutes(3))) struct LogInTests {
  /// The part of an answer that a client sees: all but its own id.
  private static func seen(_ reply: Reply) -> String {
    let id = reply["X-Request-Id"] ?? ""
    return reply.description.replacing(id, with: "ID")
  }

  @Test func `a wrong password, an unknown address and a disabled account answer alike`() async throws {
    try await SystemWorld.run {
      $0.allowManyAttempts()
    } _: { world in
      try await world.account("ann@example.com", username: "ann")
      try await world.account("eve@example.com")
      try await world.owner.execute("SELECT accounts.disable('eve@example.com')")
      let wrong = try await world.logIn("ann@example.com", "wrong horse")
      #expect(wrong.status == 401 && wrong.has(#""rule":"credentials""#), "\(wrong)")
      for (name, password) in [
        ("nobody@example.com", "wrong horse"), ("eve@example.com", SystemWorld.password), ("ann", "wrong horse"),
        ("ann@example.com", "short"), ("1", SystemWorld.password),
      ] {
        let other = try await world.logIn(name, password)
        #expect(Self.seen(other) == Self.seen(wrong), "\(name)")
      }
      for name in ["ann@example.com", "Ann@Example.com", "ann"] {
        let good = try await world.logIn(name)
        #expect(good.status == 200 && good["Cache-Control"] == "no-store", "\(good)")
      }
      for body in [#"{"email":"ann@example.com"}"#, #"{"email":7,"password":"x"}"#, "[]", "", "{"] {
        #expect(try await world.call("POST /auth/login", body: body).status == 400, "\(body)")
      }
    }
  }

  @Test func `ten failed log-ins must wait, for known and unknown addresses, and a success clears them`()
    async throws
  {
    try await SystemWorld.run {
      $0.allowManyAttempts()
    } _: { world in
      try await world.account("ann@example.com")
      try await world.account("ben@example.com")
      func fail(_ count: Int) async throws {
        for _ in 1...count {
          #expect(try await world.logIn("ann@example.com", "wrong horse").status == 401)
        }
      }
      try await fail(9)
      #expect(try await world.logIn("ann@example.com").status == 200)
      try await fail(10)
      let address = try await world.owner.query("SELECT addresses[1] FROM accounts.attempt").one(String.self)
      for _ in 1...10 {
        _ = try await world.owner.query("SELECT gateway.credentials('nobody@example.com', \(address))")
      }
      let waiting = try await world.logIn("ann@example.com")
      #expect(waiting.status == 429 && waiting.has(#""rule":"attempts""#), "\(waiting)")
      let seconds = Int(waiting["Retry-After"] ?? "") ?? 0
      #expect((600...900).contains(seconds), "\(waiting)")
      let unknown = try await world.logIn("nobody@example.com")
      #expect(unknown.status == 429 && unknown.body == waiting.body, "\(unknown)")
      #expect(try await world.logIn("ben@example.com").status == 200)
      try await world.owner.execute(
        "UPDATE accounts.attempt SET failed_at = ARRAY(SELECT x - interval '15 minutes' FROM unnest(failed_at) AS x)")
      #expect(try await world.logIn("ann@example.com").status == 200)
    }
  }

  @Test func `log-in attempts of one address are limited each minute`() async throws {
    try await SystemWorld.run {
      $0.limits.attemptsPerMinute = 3
    } _: { world in
      for number in 1...4 {
        let reply = try await world.call("POST /auth/login", body: "{}")
        #expect(reply.status == (number < 4 ? 400 : 429), "\(number): \(reply)")
        if number == 4 { #expect(Int(reply["Retry-After"] ?? "").map { (1...60).contains($0) } == true, "\(reply)") }
      }
    }
  }

  @Test func `a reader logs in as in WordPress, and the token is valid for achievements`() async throws {
    try await SystemWorld.run {
      $0.allowManyAttempts()
    } _: { world in
      for reader in [55, 56] as [Int64] {
        _ = try await world.owner.query("SELECT achievements.create_user(\(reader), 'R')")
      }
      try await world.account("ann@example.com", username: "ann", reader: 55)
      try await world.account("ben@example.com", reader: 56)
      try await world.account("cat@example.com")
      func logIn(_ name: String, _ password: String = SystemWorld.password) async throws -> Reply {
        try await world.call(
          "POST /wp-json/jwt-auth/v1/token", body: #"{"username":"\#(name)","password":"\#(password)"}"#)
      }
      for (name, nicename, reader) in [("ann", "ann", 55), ("ben@example.com", "reader-56", 56)] {
        let reply = try await logIn(name)
        #expect(reply.status == 200, "\(reply)")
        let session = try DocumentJSON(reply.body)
        #expect(try session["user_nicename"] == .text(nicename) && session["user_id"] == .number(Double(reader)))
        #expect(try session["user_email"].plain.hasPrefix(nicename == "ann" ? "ann@" : "ben@"))
        #expect(try session["user_display_name"] == .text("Ann") && session.count == 5)
        let mine = try await world.json("GET /wp-json/gread/v2/me/achievements", token: try session["token"].plain)
        #expect(try mine["user_id"] == .number(Double(reader)))
      }
      let wrong = try await logIn("ann", "wrong horse")
      #expect(wrong.status == 403 && wrong.has(#"{"code":"invalid_credentials","#), "\(wrong)")
      #expect(wrong.has(#""data":{"status":403}}"#), "\(wrong)")
      for name in ["cat@example.com", "nobody"] {
        #expect(try await Self.seen(logIn(name)) == Self.seen(wrong), "\(name)")
      }
    }
  }
}
