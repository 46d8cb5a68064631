import Postgres
import TestSupport
import Testing

/// The examples of the guide of seasonal rewards; their year is a text, as the guide's models have it.
@Suite struct TeamShapeTests {
  private static func reward(
    _ id: Int, _ description: String, _ threshold: Int, _ achieved: String?, progress: String
  ) -> String {
    """
    {
      "id": \(id),
      "season": "xc",
      "year": "2024",
      "description": "\(description)",
      "pointThreshold": \(threshold),
      "displayOrder": \(id),
      "isAchieved": \(achieved != nil),
      "achievedDate": \(achieved.map { "\"\($0)\"" } ?? "null"),
      "progressPercentage": \(progress)
    }
    """
  }

  private static func body(_ text: String) -> JSON { JSON(text: text) }

  private static func make(_ world: Wrappers, _ description: String, _ threshold: Int, order: Int) async throws {
    _ = try await world.answer(
      """
      team_create_reward('coach_smith', \(body(
        #"{"season": "xc", "year": 2024, "description": "\#(description)", "pointThreshold": \#(threshold), "displayOrder": \#(order)}"#)))
      """)
  }

  /// Meets of one runner, at 20 points each.
  private static func earn(_ world: Wrappers, meets: Int64, _ runner: Int64) async throws {
    try await world.owner.execute(
      """
      SELECT count(seasons.earn_points(\(runner), 'MEET_LOG', NULL, 'xc', '2024')) FROM generate_series(1, \(meets))
      """)
  }

  @Test func `seasonal progress and rewards are the guide's examples`() async throws {
    let world = try await Wrappers(at: "2024-09-01T10:00:00.000Z")
    try await world.user("coach_smith", "coach")
    let runner = try await world.runner()
    for number in 2...45 { _ = try await world.runner("Runner \(number)") }
    try await Self.make(world, "Team Pizza Party", 5000, order: 1)
    try await Self.make(world, "Custom Team Hoodies", 10000, order: 2)
    try await world.clock("2024-10-15T10:30:00.000Z")
    try await Self.earn(world, meets: 250, runner)
    let pizza = "2024-10-15T10:30:00.000Z"
    #expect(
      try await world.answer("team_rewards('xc', '2024')")
        == DocumentJSON(
          """
          [\(Self.reward(1, "Team Pizza Party", 5000, pizza, progress: "null")),
           \(Self.reward(2, "Custom Team Hoodies", 10000, nil, progress: "null"))]
          """))
    try await world.clock("2024-11-01T14:20:00.000Z")
    try await Self.earn(world, meets: 250, runner)
    try await world.clock("2024-11-02T08:00:00.000Z")
    try await Self.earn(world, meets: 125, runner)
    try await Self.make(world, "Team Trip to Indoor Track Meet", 20000, order: 3)
    #expect(
      try await world.answer("team_progress('xc', '2024')")
        == DocumentJSON(
          """
          {
            "season": "xc",
            "year": "2024",
            "teamTotalPoints": 12500,
            "activeRosterCount": 45,
            "rewards": [
              \(Self.reward(1, "Team Pizza Party", 5000, pizza, progress: "100.0")),
              \(Self.reward(2, "Custom Team Hoodies", 10000, "2024-11-01T14:20:00.000Z", progress: "100.0")),
              \(Self.reward(3, "Team Trip to Indoor Track Meet", 20000, nil, progress: "62.5"))
            ]
          }
          """))
    #expect(
      try await world.answer("team_progress('track', '2024')")
        == DocumentJSON(
          """
          {"season": "track", "year": "2024", "teamTotalPoints": 0, "activeRosterCount": 45, "rewards": []}
          """))
  }

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

  @Test func `creating and updating a reward answer as the guide shows, and deleting with nothing`() async throws {
    let world = try await Wrappers(at: "2024-09-01T10:00:00.000Z")
    try await world.user("coach_smith", "coach")
    try await Self.make(world, "Team Pizza Party", 5000, order: 1)
    let created = try await world.answer("team_create_reward('coach_smith', \(Self.body(Self.hoodies)))")
    #expect(
      created == (try DocumentJSON(TeamExamples.reward("Team Hoodies", 10000, updated: "2024-09-01T10:00:00.000Z"))))
    // The creator is who calls, not who is named.
    #expect(
      try await world.owner.query("SELECT created_by FROM seasons.reward ORDER BY id").decode(String.self)
        == ["coach_smith", "coach_smith"])
    try await world.clock("2024-09-02T10:00:00.000Z")
    let change = """
      {
        "description": "Custom Team Hoodies (Updated)",
        "pointThreshold": 12000,
        "displayOrder": 2
      }
      """
    let expected = TeamExamples.reward("Custom Team Hoodies (Updated)", 12000, updated: "2024-09-02T10:00:00.000Z")
    for body in [change, "{}", #"{"description": null}"#] {
      let updated = try await world.answer("team_update_reward('coach_smith', 2, \(Self.body(body)))")
      #expect(updated == (try DocumentJSON(expected)), "\(body)")
    }
    #expect(try await world.answer("team_delete_reward('coach_smith', 2)") == .object([:]))
    #expect(try await world.answer("team_rewards('xc', '2024')").count == 1)
    #expect(try await world.tried("team_delete_reward('coach_smith', 2)") == "SD404 reward")
  }

  @Test func `a runner's points are the guide's example`() async throws {
    let world = try await Wrappers(at: "2024-09-01T10:00:00.000Z")
    try await world.owner.script("ALTER TABLE seasons.runner ALTER COLUMN id RESTART WITH 123")
    let runner = try await world.runner()
    try await Self.earn(world, meets: 14, runner)
    try await world.owner.execute("SELECT seasons.earn_points(123, 'PRE_MEET_LOG', NULL, 'xc', '2024')")
    #expect(
      try await world.answer("team_runner_points(123, 'xc', '2024')")
        == DocumentJSON(
          """
          {
            "runnerId": 123,
            "season": "xc",
            "year": "2024",
            "pointsEarned": 285
          }
          """))
  }

  @Test func `a reward is refused to a user without the role of a coach, and with malformed content`() async throws {
    let world = try await Wrappers(at: "2024-09-01T10:00:00.000Z")
    try await world.user("coach_smith", "coach")
    try await world.user("jsmith")
    try await Self.make(world, "Team Pizza Party", 5000, order: 1)
    try await Self.make(world, "Another", 6000, order: 3)
    for (caller, expected) in [("jsmith", "SD403 coach"), ("nobody", "SD403 coach"), (nil, "SD403 identity")] {
      let body = Self.body(Self.hoodies)
      #expect(try await world.tried("team_create_reward(\(caller), \(body))") == expected)
      #expect(try await world.tried("team_update_reward(\(caller), 1, \(Self.body("{}")))") == expected)
      #expect(try await world.tried("team_delete_reward(\(caller), 1)") == expected)
    }
    for (body, expected) in [
      ("{}", "SD400 season"), ("[]", "SD400 body"), ("null", "SD400 body"), (#"{"id": 1}"#, "SD400 key"),
      (Self.hoodies.replacing("2024", with: "24"), "SD400 year"),
      (Self.hoodies.replacing(#""displayOrder": 2"#, with: #""displayOrder": 1"#), "SD400 display-order"),
      (Self.hoodies.replacing("10000", with: "0"), "SD400 point-threshold"),
      (Self.hoodies.replacing(#""Team Hoodies""#, with: "7"), "SD400 description"),
      (Self.hoodies.replacing(#""Coach Smith""#, with: "7"), "ok"),
    ] {
      #expect(try await world.tried("team_create_reward('coach_smith', \(Self.body(body)))") == expected, "\(body)")
    }
    for (id, body, expected) in [
      (Int64(1), #"{"displayOrder": 3}"#, "SD400 display-order"), (1, #"{"displayOrder": 1}"#, "ok"),
      (1, #"{"season": "xc"}"#, "SD400 key"), (77, "{}", "SD404 reward"), (0, "{}", "SD404 reward"),
    ] {
      #expect(
        try await world.tried("team_update_reward('coach_smith', \(id), \(Self.body(body)))") == expected, "\(body)")
    }
    for (season, year, expected) in [
      ("xc", "2024", "ok"), (nil, "2024", "SD400 season"), ("xc", nil, "SD400 year"), ("golf", "2024", "SD400 season"),
      ("xc", "24", "SD400 year"),
    ] {
      #expect(try await world.tried("team_progress(\(season), \(year))") == expected)
      #expect(try await world.tried("team_rewards(\(season), \(year))") == expected)
    }
    #expect(try await world.tried("team_runner_points(0, 'xc', '2024')") == "SD404 runner")
  }
}
