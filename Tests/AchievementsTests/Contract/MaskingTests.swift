import Postgres
import TestSupport
import Testing

/// Somebody who tries to learn what a hidden achievement is.
@Suite("A hidden achievement") struct MaskingTests {
  private static let secrets = [
    "SecretName", "SecretStory", "SecretType", "SecretColour", "SecretSign", "secret.svg", "SecretTarget",
    "SecretCondition", "SecretStep", "SecretDeed", "424242", "313131",
  ]

  private static func define(_ club: Club, steps: Bool) async throws {
    let list = """
      [{"step_order": 1, "name": "SecretStep", "description": "SecretDeed", "metric": "book_read", "target_value": 424242,
        "target": "SecretTarget"}]
      """
    try await club.session.execute(
      """
      SELECT achievements.define(\(JSON(text: """
        {"slug": "open", "name": "SecretName", "description": "SecretStory", "category": "career", "reward": 313131,
         "icon": {"type": "SecretType", "color": "SecretColour", "symbol": "SecretSign", "svg_url": "secret.svg"},
         "unlock_requirements": {"metric": "book_read", "value": 424242, "condition": "SecretCondition",
          "target": "SecretTarget"},
         "is_hidden": true, "steps": \(steps ? list : "[]")}
        """)))
      """)
  }

  private static let calls = [
    "achievements.catalogue()", "achievements.catalogue(2)", "achievements.catalogue(category => 'career')",
    "achievements.by_id(1)", "achievements.by_id(1, 2)", "achievements.by_slug('open')",
    "achievements.by_slug('open', 2)",
    "achievements.of_user(2)", "achievements.of_user(2, 1)", "achievements.of_user(2, 2, 'career', 'locked')",
    "achievements.of_user(2, filter => 'unlocked')", "achievements.of_user(2, hidden => 'absent')",
    "achievements.check(2)", "achievements.stats()", "achievements.leaderboard()",
    "achievements.by_slug('SecretName')", "achievements.by_id(2)", "achievements.catalogue(category => 'SecretName')",
    "achievements.of_user(2, filter => 'SecretName')", "achievements.of_user(99)",
  ]

  @Test(arguments: [false, true])
  func `a hidden achievement stays hidden in every answer, even from a viewer who has it`(steps: Bool) async throws {
    let club = try await Club()
    try await club.join(1, 2)
    try await Self.define(club, steps: steps)
    for round in 0..<3 {
      for call in Self.calls {
        let said: String
        do {
          said = try await club.session.query("SELECT \(raw: call)::text").one(String.self)
        } catch {
          said = "\(error.debugDescription) \(error.detail ?? "")".replacing(call, with: "")
        }
        // The caller's own words are no secret.
        for secret in Self.secrets where !call.contains(secret) { #expect(!said.contains(secret), "\(call): \(said)") }
      }
      // First as it is defined, then when somebody else has it by his counters, then for good; the other comes near.
      if round == 0 {
        try await club.report(1, "book_read", 424_242, target: "SecretTarget")
        try await club.report(2, "book_read", 424_241, target: "SecretTarget")
      } else {
        try await club.runChecks()
      }
    }
    #expect(try await club.list(1).achievements[0].name == "SecretName")
    #expect(try await club.list(1).achievements[0].progress?.percentage == 100)
  }

  @Test func `a hidden achievement keeps the place in lists that any other name would have`() async throws {
    var places: Set<[String]> = []
    for name in ["AAA", "MMM", "zzz"] {
      let club = try await Club()
      try await club.join(1)
      for open in ["B", "N", "y"] {
        var definition = Definition(open, "points", 5)
        definition.name = open
        try await club.define(definition)
      }
      var hidden = Definition("hidden", "points", 5)
      (hidden.name, hidden.isHidden) = (name, true)
      try await club.define(hidden)
      places.insert(try await club.list(1).achievements.map(\.slug))
    }
    #expect(places.count == 1)
  }
}
