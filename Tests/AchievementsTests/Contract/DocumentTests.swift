import Foundation
import Postgres
import TestSupport
import Testing

/// The documents' own examples, and the fields that the contract adds to them.
@Suite("Documents of achievements") struct DocumentTests {
  private static let definition = """
    {"slug": "secret-master", "name": "Secret Master", "description": "Complete all secret challenges",
     "icon": {"type": "crown", "color": "#FFD700", "symbol": "👑", "svg_url": null},
     "unlock_requirements": {"metric": "author_read_count", "value": 50}, "reward": 500, "is_hidden": true,
     "category": "authors", "display_order": 7}
    """

  private static let masked = """
    {"slug": "secret-master", "name": "???", "description": "???",
     "icon": {"type": "question", "color": "#999999", "symbol": "?", "svg_url": null},
     "unlock_requirements": null, "progress": null, "steps": [], "reward": null, "is_hidden": true,
     "is_unlocked": false, "category": "authors", "is_multistep": false, "date_unlocked": null, "display_order": 7}
    """

  private static let unlocked = """
    {"slug": "secret-master", "name": "Secret Master", "description": "Complete all secret challenges",
     "icon": {"type": "crown", "color": "#FFD700", "symbol": "👑", "svg_url": null},
     "unlock_requirements": {"metric": "author_read_count", "value": 50},
     "progress": {"current": 50, "required": 50, "percentage": 100},
     "reward": 500, "is_hidden": true, "is_unlocked": true, "date_unlocked": "2025-12-04 10:30:00",
     "category": "authors", "steps": [], "is_multistep": false, "display_order": 7}
    """

  private static func shown(_ club: Club, _ call: Statement, is expected: String) async throws -> Bool {
    try await club.session.query("SELECT (\(fragment: call)) - 'id' = \(JSON(text: expected))::jsonb").one(Bool.self)
  }

  @Test func `a locked achievement is masked until the commit that unlocks it, whether or not the job has run`()
    async throws
  {
    let club = try await Club()
    try await club.session.execute("UPDATE settled.installation SET clock_base = '2025-12-04T10:30:00.987654Z'")
    try await club.join(1, 2)
    let id = try await club.session.query("SELECT achievements.define(\(JSON(text: Self.definition)))").one(Int64.self)
    let own: Statement = "SELECT achievements.of_user(1)->'achievements'->0"
    let others: [Statement] = [
      "SELECT achievements.of_user(2, 1)->'achievements'->0", "SELECT achievements.catalogue()->0",
      "SELECT achievements.catalogue(2)->0", "SELECT achievements.by_id(\(id))", "SELECT achievements.by_id(\(id), 2)",
      "SELECT achievements.by_slug('secret-master', 2)",
    ]
    for call in others + [own] { #expect(try await Self.shown(club, call, is: Self.masked), "\(call.sql)") }
    try await club.report(1, "author_read_count", 50)
    let mine: [Statement] = [
      own, "SELECT achievements.of_user(1, 2)->'achievements'->0", "SELECT achievements.catalogue(1)->0",
      "SELECT achievements.by_id(\(id), 1)", "SELECT achievements.by_slug('secret-master', 1)",
    ]
    for call in mine { #expect(try await Self.shown(club, call, is: Self.unlocked), "\(call.sql)") }
    for call in others { #expect(try await Self.shown(club, call, is: Self.masked), "\(call.sql)") }
    try await club.session.execute("SELECT settled.set_clock('2026-01-01T00:00:00Z')")
    try await club.runChecks()
    for call in mine { #expect(try await Self.shown(club, call, is: Self.unlocked), "\(call.sql)") }
    let event = try await club.session.query(
      """
      SELECT topic = 'achievement.unlocked' AND key = '1' AND payload = jsonb_build_object('userId', 1, 'achievementId', \(id),
        'slug', 'secret-master', 'reward', 500) FROM settled.event_pending
      """
    ).decode(Bool.self)
    #expect(event == [true])
  }

  @Test func `an achievement document has every key in every answer, and no other`() async throws {
    let club = try await Club()
    try await club.join(1)
    try await club.define(Definition("plain", "points", 5))
    var hidden = Definition("steps", steps: [1: .init(metric: "points", value: 2)])
    hidden.isHidden = true
    try await club.define(hidden)
    let keys = [
      "category", "date_unlocked", "description", "display_order", "icon", "id", "is_hidden", "is_multistep",
      "is_unlocked", "name", "progress", "reward", "slug", "steps", "unlock_requirements",
    ]
    for round in 0..<2 {
      for call in ["achievements.catalogue()", "achievements.catalogue(1)", "achievements.check(1)->'achievements'"] {
        let shown = try await club.session.query(
          "SELECT array_agg(k ORDER BY k COLLATE \"C\") FROM jsonb_array_elements(\(raw: call)) AS i, jsonb_object_keys(i) AS k GROUP BY i"
        ).decode([String].self)
        #expect(shown == [keys, keys], "\(call)")
      }
      if round == 0 { try await club.report(1, "points", 3) }
    }
    let step = try await club.session.query(
      "SELECT achievements.by_slug('steps', 1)->'steps'->0"
    ).one(JSON.self)
    let expected = """
      {"step_order": 1, "name": "Step 1", "description": "", "metric": "points", "target_value": 2, "target": null,
       "requires_previous_step": false, "current": 3, "is_completed": true}
      """
    #expect(
      try await club.session.query("SELECT \(step)::jsonb = \(JSON(text: expected))::jsonb").one(Bool.self), "\(step)")
  }

  @Test func `an achievement shows condition and target where given, and without a viewer it is locked`() async throws {
    let club = try await Club()
    try await club.join(1)
    let requirement = #"{"metric": "book_read", "value": 3, "condition": "simple", "target": "Emma"}"#
    try await club.session.execute(
      """
      SELECT achievements.define(\(Definition("emma", "points", 1).json)
        || jsonb_build_object('unlock_requirements', \(JSON(text: requirement))))
      """)
    try await club.report(1, "book_read", 2, target: "Emma")
    try await club.report(1, "book_read", 7)
    let (nobodys, own): (Achievement, Achievement) = (
      try await club.read("SELECT achievements.by_slug('emma')::text"),
      try await club.read("SELECT achievements.by_slug('emma', 1)::text")
    )
    let shown = UnlockRequirements(metric: "book_read", value: 3, condition: "simple", target: "Emma")
    #expect(nobodys.unlockRequirements == shown && own.unlockRequirements == shown)
    #expect(nobodys.progress == nil && nobodys.dateUnlocked == nil && !nobodys.isUnlocked && nobodys.reward == 0)
    #expect(own.progress == Progress(current: 2, required: 3, percentage: 66.66))
  }

  @Test func `achievements are sorted by display_order, name and id, and counted as the list has them`()
    async throws
  {
    let club = try await Club()
    try await club.join(1)
    for (slug, order, name, category) in [
      ("d", 2, "A", "career"), ("c", 1, "B", "career"), ("b", 1, "A", nil), ("a", 1, "A", "authors"),
    ] as [(String, Int, String, String?)] {
      var definition = Definition(slug, "books_read", slug == "d" || slug == "a" ? 1 : 100)
      (definition.displayOrder, definition.name, definition.category) = (order, name, category)
      definition.isHidden = slug == "c" || slug == "d"
      try await club.define(definition)
    }
    try await club.report(1, "books_read", 1)
    // The name of `c` is hidden: it stands where `???` does, before the letters.
    #expect(try await club.list(1).achievements.map(\.slug) == ["c", "b", "a", "d"])
    let cases: [(String, [String], Int64, Int64)] = [
      ("filter => 'all'", ["c", "b", "a", "d"], 4, 2), ("filter => 'unlocked'", ["a", "d"], 2, 2),
      ("filter => 'locked'", ["c", "b"], 2, 0), ("category => 'career'", ["c", "d"], 2, 1),
      ("category => 'career', filter => 'locked'", ["c"], 1, 0), ("category => 'categories'", [], 0, 0),
      ("hidden => 'absent'", ["b", "a"], 2, 1), ("hidden => 'absent', filter => 'unlocked'", ["a"], 1, 1),
    ]
    for (arguments, slugs, total, unlocked) in cases {
      let list: UserList = try await club.read("SELECT achievements.of_user(1, \(raw: arguments))::text")
      #expect(list.achievements.map(\.slug) == slugs, "\(arguments)")
      #expect(list.total == total && list.unlockedCount == unlocked && list.userId == 1, "\(arguments)")
    }
    let catalogue: [Achievement] = try await club.read(
      "SELECT achievements.catalogue(category => 'career', hidden => 'absent')::text")
    #expect(catalogue == [])
  }

  @Test func `achievement statistics are masked, paged by count and id, and include unlocks not recorded yet`()
    async throws
  {
    let club = try await Club()
    let none: Statistics = try await club.read("SELECT achievements.stats()::text")
    #expect(none.totalAchievements == 0 && none.mostUnlocked == nil && none.topAchievers == [])
    #expect(none.averageUnlocksPerAchievement == 0)
    for user in Int64(1)...7 { try await club.join(user) }
    var hidden = Definition("first", "books_read", 1)
    hidden.isHidden = true
    try await club.define(hidden)
    for number in 2...3 { try await club.define(Definition("no \(number)", "books_read", Int64(number))) }
    for user in Int64(1)...6 { try await club.report(user, "books_read", user % 4) }
    for round in 0..<3 {
      let stats: Statistics = try await club.read("SELECT achievements.stats()::text")
      #expect(stats.totalAchievements == 3 && stats.totalUnlocks == 9 && stats.averageUnlocksPerAchievement == 3)
      #expect(stats.mostUnlocked == .init(id: 1, name: "???", slug: "first", unlockCount: 5), "round \(round)")
      #expect(stats.leastUnlocked == .init(id: 3, name: "The no 3", slug: "no 3", unlockCount: 1), "round \(round)")
      let board: [Achiever] = try await club.read("SELECT achievements.leaderboard(3, 1)::text")
      #expect(board.map(\.userId) == [2, 6, 1] && board.map(\.rank) == [2, 3, 4], "round \(round)")
      #expect(board[0] == Achiever(rank: 2, userId: 2, userName: "user 2", achievementCount: 2))
      #expect(stats.topAchievers.map(\.userId) == [3, 2, 6, 1, 5])
      let rest: [Achiever] = try await club.read("SELECT achievements.leaderboard(100, 5)::text")
      #expect(rest == [])
      if round == 0 { _ = try await club.check(3) } else { try await club.runChecks() }
    }
  }
}
