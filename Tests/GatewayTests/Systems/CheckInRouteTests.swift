import TestSupport
import Testing

/// The requests and answers of the check-in app's document, over HTTP.
@Suite("Check-ins over HTTP", .timeLimit(.minutes(2))) struct CheckInRouteTests {
  private static let metrics = """
    {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0,
     "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """

  private static func profile(_ isOnboarded: Bool, _ zone: String?) throws -> DocumentJSON {
    try DocumentJSON(
      """
      {"uid": "firebase-1", "hasCompletedOnboarding": \(isOnboarded),
       "profile": {"timezone": \(zone.map { "\"\($0)\"" } ?? "null")}}
      """)
  }

  @Test func `a check-in app's launch, onboarding and day answer as the guide describes`() async throws {
    try await SystemWorld.run(at: "2031-06-02T22:30:00Z") { world in
      let token = try await world.token(checkin: "firebase-1")
      for method in ["GET", "POST", "HEAD"] {
        let me = try await world.call("\(method) /api/auth/me", token: token)
        #expect(me.status == 200 && me["Cache-Control"] == "no-store", "\(me)")
        if method != "HEAD" { #expect(try DocumentJSON(me.body) == Self.profile(false, nil)) }
      }
      let zone = """
        {
          "timezone": "Europe/Istanbul"
        }
        """
      let changed = try await world.json("PATCH /api/auth/profile", token: token, body: zone)
      #expect(try changed == Self.profile(false, "Europe/Istanbul"))
      #expect(
        try await world.json("POST /api/onboarding/submit", token: token) == Self.profile(true, "Europe/Istanbul"))
      let before = try await world.json("GET /api/stats/summary", token: token)
      guard case .object(let members) = before else { throw TimeLimitError(description: "\(before)") }
      #expect(members["today"] == nil && members["userId"] == .text("firebase-1"))
      let update = "POST /api/age/daily-update"
      let done = try await world.json(update, token: token, body: Self.metrics)
      #expect(try done["today"]["date"] == .text("2031-06-03") && done["streak"]["current"] == .number(1))
      #expect(try await world.json("GET /api/stats/summary", token: token)["today"] == done["today"])
      for body in [Self.metrics, #"{"metrics": \#(Self.metrics)}"#] {
        let again = try await world.call(update, token: token, body: body)
        let members = try DocumentJSON(again.body)
        #expect(again.status == 409 && members.count == 4, "\(again)")
        #expect(try members["error"] == .text("Daily check-in already completed"))
        #expect(try members["dateKey"] == .text("2031-06-03") && !members["message"].plain.isEmpty)
        #expect(try members["rule"] == .text("already-checked-in"))
      }
    }
  }

  @Test func `a repetition with the key is the same check-in, also for a long name`() async throws {
    try await SystemWorld.run { world in
      let token = try await world.token(checkin: String(repeating: "a b", count: 66))
      _ = try await world.json("POST /api/onboarding/submit", token: token, body: "{}")
      let replies = try await [
        world.call("POST /api/age/daily-update", token: token, body: Self.metrics, headers: ["Idempotency-Key: k"]),
        world.call("POST /api/age/daily-update", token: token, body: Self.metrics, headers: ["Idempotency-Key: k"]),
      ]
      #expect(replies.map(\.status) == [200, 200] && replies[0].body == replies[1].body, "\(replies)")
    }
  }

  @Test func `refused check-ins have the status and the texts of the guide`() async throws {
    try await SystemWorld.run { world in
      let token = try await world.token(checkin: "firebase-1")
      let none = try await world.token(athlete: 7)
      let (update, profile) = ("POST /api/age/daily-update", "PATCH /api/auth/profile")
      for (line, token, body, status, error, rule) in [
        ("GET /api/stats/summary", token, nil, 404, "User not found", "profile"),
        (update, token, Self.metrics, 404, "User not found", "profile"),
        ("GET /api/auth/me", token, nil, 200, "", ""),
        (update, token, Self.metrics, 404, "User not found", "onboarding"),
        ("POST /api/onboarding/submit", token, #"{"goal":"sleep"}"#, 200, "", ""),
        (update, token, "{}", 400, "Invalid request", "sleep-hours"),
        (update, token, "", 400, "Invalid request", "json"),
        (update, token, "5", 400, "Invalid request", "body"), (update, token, "nope", 400, "Invalid request", "json"),
        (update, token, #"{"mood":1}"#, 400, "Invalid request", "key"),
        (profile, token, #"{"timezone":"GMT+3"}"#, 400, "Invalid request", "time-zone"),
        (profile, token, #"{"timezone":"a\u0000"}"#, 400, "Invalid request", "json"),
        (profile, token, #"{"timezone":null,"name":"Ann"}"#, 200, "", ""),
        (update, nil, Self.metrics, 401, "Unauthorized", "token-missing"),
        ("GET /api/auth/me", "x", nil, 401, "Unauthorized", "token"),
        ("GET /api/auth/me", none, nil, 403, "Forbidden", "identity"),
        (update, none, nil, 403, "Forbidden", "identity"),
        ("GET /api/nothing", token, nil, 404, "Not found", "path"),
        ("DELETE /api/auth/me", token, nil, 405, "Method not allowed", "method"),
      ] as [(String, String?, String?, Int, String, String)] {
        let reply = try await world.call(line, token: token, body: body)
        #expect(reply.status == status && reply["Content-Type"] == "application/json", "\(line): \(reply)")
        guard status != 200 else { continue }
        let members = try DocumentJSON(reply.body)
        #expect(try members["error"] == .text(error) && members["rule"] == .text(rule), "\(line): \(reply)")
        #expect(members.count == 3, "\(line): \(reply)")
      }
    }
  }
}
