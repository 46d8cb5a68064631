import Postgres
import TestSupport
import Testing

/// `POST points/earn` of the guide of seasonal rewards, with what the app's point transactions have beside it.
@Suite struct TeamEarnShapeTests {
  private static func body(_ members: String...) -> JSON { JSON(text: "{\(members.joined(separator: ", "))}") }

  private static let run = #""activityType": "TRAINING_RUN""#

  private static let request = JSON(
    text: """
      {
        "runnerId": 123,
        "activityType": "TRAINING_RUN",
        "activityUuid": "550e8400-e29b-41d4-a716-446655440000",
        "season": "xc",
        "year": 2024,
        "description": "Morning run - 5 miles"
      }
      """)

  private static func answer(earned: Int, balance: Int) -> String {
    """
    {
      "success": true,
      "pointsEarned": \(earned),
      "newBalance": \(balance),
      "transaction": {
        "id": 2,
        "runnerId": 123,
        "activityType": "TRAINING_RUN",
        "activityUuid": "550e8400-e29b-41d4-a716-446655440000",
        "points": 10,
        "pointsAmount": 10,
        "transactionType": "EARNED",
        "balanceAfter": 30,
        "season": "xc",
        "year": "2024",
        "description": "Morning run - 5 miles",
        "createdAt": "2024-09-01T10:00:00.000Z"
      }
    }
    """
  }

  /// Runners 123 and 124, of whom 123 is who calls.
  private static func world() async throws -> Wrappers {
    let world = try await Wrappers(at: "2024-09-01T10:00:00.000Z")
    try await world.owner.script("ALTER TABLE seasons.runner ALTER COLUMN id RESTART WITH 123")
    for name in ["Ann", "Ben"] { _ = try await world.runner(name) }
    for (name, role) in [("ann", "runner"), ("coach_smith", "coach")] { try await world.user(name, role) }
    return world
  }

  @Test func `an earning answers the guide's request with a transaction, and repeats it without points`() async throws {
    let world = try await Self.world()
    _ = try await world.answer("team_earn('ann', 123, \(Self.body(#""activityType": "MEET_LOG""#)))")
    let first = try await world.answer("team_earn('ann', 123, \(Self.request))")
    #expect(first == (try DocumentJSON(Self.answer(earned: 10, balance: 30))))
    try await world.clock("2024-09-03T10:00:00.000Z")
    _ = try await world.answer("team_earn('ann', 123, \(Self.body(#""activityType": "WORKOUT""#)))")
    let again = try await world.answer("team_earn('ann', 123, \(Self.request))")
    #expect(again == (try DocumentJSON(Self.answer(earned: 0, balance: 45))))
  }

  @Test func `an earning is for the caller's runner unless a coach names another`() async throws {
    let world = try await Self.world()
    let null = String?.none
    let nobody = Int64?.none
    for (username, runner, body, expected) in [
      ("ann", 123, Self.body(Self.run), "ok"), ("ann", 123, Self.body(Self.run, #""runnerId": null"#), "ok"),
      ("ann", 123, Self.body(Self.run, #""runnerId": 124"#), "SD403 identity"),
      ("ann", 123, Self.body(Self.run, #""runnerId": 999"#), "SD403 identity"),
      ("ann", nobody, Self.body(Self.run), "SD403 identity"),
      ("ann", nobody, Self.body(Self.run, #""runnerId": 123"#), "SD403 identity"),
      (null, 123, Self.body(Self.run), "ok"), (null, nobody, Self.body(Self.run), "SD403 identity"),
      ("coach_smith", nobody, Self.body(Self.run), "SD403 identity"),
      ("coach_smith", nobody, Self.body(Self.run, #""runnerId": 124"#), "ok"),
      ("coach_smith", 123, Self.body(Self.run, #""runnerId": 124"#), "ok"),
      ("coach_smith", nobody, Self.body(Self.run, #""runnerId": 999"#), "SD404 runner"),
    ] as [(String?, Int64?, JSON, String)] {
      let ended = try await world.tried("team_earn(\(username), \(runner), \(body))")
      #expect(ended == expected, "\(username ?? "-") \(runner ?? 0) \(body.text)")
    }
    let answer = try await world.answer("team_earn('ann', 123, \(Self.body(Self.run)))")
    #expect(try answer["transaction"]["runnerId"] == .number(123))
  }

  @Test func `an earning takes a year as text or number, or none from old apps`() async throws {
    let world = try await Self.world()
    for (members, year) in [
      (#""season": "xc", "year": "2024""#, DocumentJSON.text("2024")),
      (#""season": "xc", "year": 2024"#, .text("2024")),
      (#""season": "xc", "year": null"#, .null), (#""season": "xc""#, .null),
    ] {
      let answer = try await world.answer("team_earn('ann', 123, \(Self.body(Self.run, members)))")
      #expect(try answer["transaction"]["year"] == year, "\(members)")
    }
    let points = try await world.answer("team_runner_points(123, 'xc', '2024')")
    #expect(try points["pointsEarned"] == .number(20))
  }

  @Test func `malformed earnings are refused`() async throws {
    let world = try await Self.world()
    for (body, expected) in [
      ("{}", "SD400 activity-type"), ("[]", "SD400 body"), ("5", "SD400 body"), (#"{"points": 500}"#, "SD400 key"),
      (#"{"activityType": "NAP"}"#, "SD400 activity-type"), (#"{"activityType": 5}"#, "SD400 activity-type"),
      (#"{"activityType": "WORKOUT", "activityUuid": ""}"#, "SD400 activity-uuid"),
      (#"{"activityType": "WORKOUT", "runnerId": "123"}"#, "SD400 runner-id"),
      (#"{"activityType": "WORKOUT", "runnerId": 123.5}"#, "SD400 runner-id"),
      (#"{"activityType": "WORKOUT", "season": "golf", "year": 2024}"#, "SD400 season"),
      (#"{"activityType": "WORKOUT", "season": 5, "year": 2024}"#, "SD400 season"),
      (#"{"activityType": "WORKOUT", "season": "xc", "year": 24}"#, "SD400 year"),
      (#"{"activityType": "WORKOUT", "season": "xc", "year": {}}"#, "SD400 year"),
      (#"{"activityType": "WORKOUT", "description": []}"#, "SD400 description"),
    ] {
      #expect(try await world.tried("team_earn('ann', 123, \(JSON(text: body)))") == expected, "\(body)")
    }
  }
}
