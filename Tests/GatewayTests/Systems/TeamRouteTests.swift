import Foundation
import Postgres
import TestSupport
import Testing

/// The requests and answers of the guide of seasonal rewards over HTTP; ids are the database's, and years are texts.
@Suite("Seasonal rewards over HTTP", .timeLimit(.minutes(2))) struct TeamRouteTests {
  private static let base = "/api/v1/points/seasonal"
  private static let hoodies = """
    {
      "season": "xc",
      "year": 2024,
      "description": "Team Hoodies",
      "pointThreshold": 10000,
      "displayOrder": 2,
      "createdBy": "Coach Smith"
    }
    """

  /// A coach, and runner 123, whose username is ann.
  private static func fill(_ world: SystemWorld) async throws {
    try await world.clock("2024-09-01T10:00:00Z")
    try await world.owner.script(
      """
      ALTER TABLE seasons.runner ALTER COLUMN id RESTART WITH 123;
      SELECT seasons.create_user('coach_smith', 'Coach Smith', 'coach');
      SELECT seasons.create_user('ann', 'Ann', 'runner');
      SELECT seasons.create_runner('Ann', 2027, 'UA', true, true);
      SELECT seasons.create_runner('Ben', 2027, 'UA', true, true);
      """)
  }

  @Test func `the team guide's calls answer with its examples`() async throws {
    try await SystemWorld.run { world in
      try await Self.fill(world)
      let coach = try await world.token(username: "coach_smith")
      let made = try await world.call("POST \(Self.base)/rewards", token: coach, body: Self.hoodies)
      #expect(made.status == 200 && made["Content-Type"] == "application/json" && made["Cache-Control"] == "no-store")
      let id = try DocumentJSON(made.body)["id"].plain
      func reward(_ description: String, _ threshold: Int, updated: String) throws -> DocumentJSON {
        try DocumentJSON(TeamExamples.reward(id: id, description, threshold, updated: updated))
      }
      #expect(try DocumentJSON(made.body) == reward("Team Hoodies", 10000, updated: "2024-09-01T10:00:00.000Z"))
      try await world.clock("2024-09-02T10:00:00Z")
      let updated = try await world.json(
        "PUT \(Self.base)/rewards/\(id)", token: coach,
        body: """
          {
            "description": "Custom Team Hoodies (Updated)",
            "pointThreshold": 12000,
            "displayOrder": 2
          }
          """)
      #expect(
        try updated == reward("Custom Team Hoodies (Updated)", 12000, updated: "2024-09-02T10:00:00.000Z"))
      let period = "season=xc&year=2024"
      let shown = """
        {
          "id": \(id), "season": "xc", "year": "2024", "description": "Custom Team Hoodies (Updated)",
          "pointThreshold": 12000, "displayOrder": 2, "isAchieved": false, "achievedDate": null,
          "progressPercentage": null
        }
        """
      #expect(try await world.json("GET \(Self.base)/rewards?\(period)") == DocumentJSON("[\(shown)]"))
      try await world.owner.execute("SELECT seasons.earn_points(123, 'MEET_LOG', NULL, 'xc', '2024')")
      let progress = try await world.call("GET \(Self.base)/progress?\(period)&unknown=1")
      #expect(progress.status == 200 && progress["ETag"] != nil)
      #expect(
        try DocumentJSON(progress.body)
          == DocumentJSON(
            """
            {
              "season": "xc",
              "year": "2024",
              "teamTotalPoints": 20,
              "activeRosterCount": 2,
              "rewards": [\(shown.replacingOccurrences(of: ": null\n", with: ": 0.17\n"))]
            }
            """
          ).with(progressOf: DocumentJSON(progress.body)))
      #expect(
        try await world.json("GET \(Self.base)/123?\(period)")
          == DocumentJSON(#"{"runnerId": 123, "season": "xc", "year": "2024", "pointsEarned": 20}"#))
      let deleted = try await world.call("DELETE \(Self.base)/rewards/\(id)", token: coach)
      #expect(deleted.status == 200 && deleted.body.isEmpty, "\(deleted)")
      #expect(deleted["Content-Length"] == "0" && deleted["Content-Type"] == nil, "\(deleted)")
      #expect(try await world.json("GET \(Self.base)/rewards?\(period)") == .array([]))
    }
  }

  @Test func `points are earned once for an activity, as the guide describes`() async throws {
    try await SystemWorld.run { world in
      try await Self.fill(world)
      let ann = try await world.token(username: "ann", runner: 123)
      let body = """
        {
          "runnerId": 123,
          "activityType": "TRAINING_RUN",
          "activityUuid": "550e8400-e29b-41d4-a716-446655440000",
          "season": "xc",
          "year": 2024,
          "description": "Morning run - 5 miles"
        }
        """
      let first = try await world.json("POST /api/v1/points/earn", token: ann, body: body)
      #expect(try first["success"] == .bool(true) && first["pointsEarned"] == .number(10))
      let transaction = try first["transaction"]
      #expect(try transaction["transactionType"] == .text("EARNED") && transaction["balanceAfter"] == .number(10))
      #expect(try transaction["pointsAmount"] == .number(10) && transaction["year"] == .text("2024"))
      let again = try await world.json("POST /api/v1/points/earn", token: ann, body: body)
      #expect(try again["transaction"] == transaction && again["pointsEarned"] == .number(0))
      // Without an activity each call is a new one, but for the key.
      let key = ["Idempotency-Key: k1"]
      let plain = #"{"activityType": "WORKOUT"}"#
      let kept = try await world.call("POST /api/v1/points/earn", token: ann, body: plain, headers: key)
      let repeated = try await world.call("POST /api/v1/points/earn", token: ann, body: plain, headers: key)
      #expect(kept.status == 200 && repeated.body == kept.body, "\(repeated)")
      let other = try await world.call(
        "POST /api/v1/points/earn", token: ann, body: #"{"activityType": "MEET_LOG"}"#, headers: key)
      #expect(other.status == 409 && other.has(#""rule":"idempotency-key""#), "\(other)")
      #expect(try await world.number("SELECT count(*) FROM seasons.earning") == 2)
    }
  }

  @Test func `refused season requests have the status and envelope of their system`() async throws {
    try await SystemWorld.run { world in
      try await Self.fill(world)
      let coach = try await world.token(username: "coach_smith")
      let ann = try await world.token(username: "ann", runner: 123)
      let nameless = try await world.token(athlete: 7)
      let rewards = "\(Self.base)/rewards"
      let made = try await world.json("POST \(rewards)", token: coach, body: Self.hoodies)
      let id = try made["id"].plain
      let earn = "POST /api/v1/points/earn"
      for (line, token, body, status, rule) in [
        ("POST \(rewards)", nil, Self.hoodies, 401, "token-missing"),
        ("POST \(rewards)", ann, Self.hoodies, 403, "coach"),
        ("POST \(rewards)", nameless, Self.hoodies, 403, "identity"),
        ("POST \(rewards)", coach, Self.hoodies, 400, "display-order"), ("POST \(rewards)", coach, "", 400, "json"),
        ("POST \(rewards)", coach, "{", 400, "json"), ("POST \(rewards)", coach, "[]", 400, "json"),
        ("POST \(rewards)", coach, #"{"season":"xc","colour":1}"#, 400, "key"),
        ("POST \(rewards)", coach, #"{"season":"\u0000"}"#, 400, "json"),
        ("PUT \(rewards)/\(id)", ann, "{}", 403, "coach"), ("PUT \(rewards)/99", coach, "{}", 404, "reward"),
        ("PUT \(rewards)/x", coach, "{}", 404, "reward"), ("DELETE \(rewards)/\(id)", nil, nil, 401, "token-missing"),
        ("DELETE \(rewards)/\(id)", ann, nil, 403, "coach"), ("DELETE \(rewards)/99", coach, nil, 404, "reward"),
        ("GET \(rewards)", nil, nil, 400, "season"), ("GET \(rewards)?season=xc", nil, nil, 400, "year"),
        ("GET \(Self.base)/progress?season=golf&year=2024", nil, nil, 400, "season"),
        ("GET \(Self.base)/999?season=xc&year=2024", nil, nil, 404, "runner"),
        ("GET \(Self.base)/1e3?season=xc&year=2024", nil, nil, 404, "runner"),
        ("GET \(Self.base)/99999999999999999999?season=xc&year=2024", nil, nil, 404, "runner"),
        (earn, nil, "{}", 401, "token-missing"),
        (earn, ann, #"{"runnerId":124,"activityType":"WORKOUT"}"#, 403, "identity"),
        (earn, nameless, #"{"activityType":"WORKOUT"}"#, 403, "identity"),
        (earn, ann, #"{"activityType":"SLEEP"}"#, 400, "activity-type"),
        (earn, coach, #"{"runnerId":999,"activityType":"WORKOUT"}"#, 404, "runner"),
        ("GET /api/v1/points", nil, nil, 404, "path"), ("PATCH \(rewards)/\(id)", coach, nil, 405, "method"),
      ] as [(String, String?, String?, Int, String)] {
        let reply = try await world.call(line, token: token, body: body)
        #expect(reply.status == status, "\(line) \(body ?? ""): \(reply)")
        let members = try DocumentJSON(reply.body)
        #expect(try members["rule"] == .text(rule) && members.count == 2, "\(line) \(body ?? ""): \(reply)")
        #expect(try !members["error"].plain.isEmpty && reply["Content-Type"] == "application/json")
        if status == 405 { #expect(reply["Allow"] == "PUT, DELETE") }
      }
    }
  }
}

extension DocumentJSON {
  /// The same progress with the percentages of another: their digits are tested elsewhere.
  fileprivate func with(progressOf other: DocumentJSON) throws -> DocumentJSON {
    guard case .object(var members) = self, case .array(let rewards) = try self["rewards"] else { return self }
    members["rewards"] = .array(
      try zip(rewards, other["rewards"].elements).map { reward, shown in
        guard case .object(var parts) = reward, case .number(let percentage) = try shown["progressPercentage"],
          (0.1...0.2).contains(percentage)
        else { return reward }
        parts["progressPercentage"] = .number(percentage)
        return .object(parts)
      })
    return .object(members)
  }
}
