import Postgres
import TestSupport
import Testing

/// The examples of the guide of achievements, with the keys that the contract adds to them.
@Suite struct GReadShapeTests {
  /// Readers 123, who has read 50 authors, and 124, who has read none.
  private static func world() async throws -> Wrappers {
    let world = try await Wrappers(at: "2025-12-04T10:30:00.400Z")
    try await world.owner.script("ALTER TABLE achievements.achievement ALTER COLUMN id RESTART WITH 42")
    try await world.owner.execute("SELECT achievements.define(\(JSON(text: SecretMaster.definition)))")
    for reader in [123, 124] as [Int64] {
      try await world.owner.execute("SELECT achievements.create_user(\(reader), \("Reader \(reader)"))")
    }
    try await world.owner.execute("SELECT achievements.report_metric(123, 'author_read_count', 50, 'set', 'k')")
    return world
  }

  private static func list(_ user: Int, _ items: [String], unlocked: Int) throws -> DocumentJSON {
    try DocumentJSON(
      """
      {"user_id": \(user), "total": \(items.count), "unlocked_count": \(unlocked),
       "achievements": [\(items.joined(separator: ", "))]}
      """)
  }

  @Test func `a hidden achievement is masked for everybody without its unlock`() async throws {
    let world = try await Self.world()
    let masked = try DocumentJSON(SecretMaster.masked)
    let revealed = try DocumentJSON(SecretMaster.revealed)
    for reader in [Int64?.none, 124, 999] {
      #expect(try await world.answer("gread_achievement(\(reader), 42)") == masked)
      #expect(try await world.answer("gread_achievement_by_slug(\(reader), 'secret-master')") == masked)
      #expect(try await world.answer("gread_achievements(2, \(reader))") == .array([masked]))
      #expect(try await world.answer("gread_achievements(1, \(reader))") == .array([]))
    }
    #expect(try await world.answer("gread_achievement(123, 42)") == revealed)
    #expect(try await world.answer("gread_achievement_by_slug(123, 'secret-master')") == revealed)
    for version in 1...2 as ClosedRange<Int32> {
      #expect(try await world.answer("gread_achievements(\(version), 123)") == .array([revealed]))
    }
  }

  @Test func `a person's list is masked by that person's unlocks, and shorter in version 1`() async throws {
    let world = try await Self.world()
    let all = try Self.list(123, [SecretMaster.revealed], unlocked: 1)
    for (version, others) in [(Int32(1), []), (2, [SecretMaster.masked])] as [(Int32, [String])] {
      for viewer in [Int64?.none, 123, 124] {
        #expect(try await world.answer("gread_user_achievements(\(version), \(viewer), 123)") == all)
        let locked = try await world.answer("gread_user_achievements(\(version), \(viewer), 124)")
        #expect(locked == (try Self.list(124, others, unlocked: 0)))
      }
      #expect(try await world.answer("gread_own_achievements(\(version), 123)") == all)
      #expect(
        try await world.answer("gread_own_achievements(\(version), 124)") == (try Self.list(124, others, unlocked: 0)))
    }
  }

  @Test func `a check lists newly unlocked achievements once, inside the list`() async throws {
    let world = try await Self.world()
    for (number, unlocked) in [SecretMaster.revealed, ""].enumerated() {
      let expected = try DocumentJSON(
        """
        {"user_id": 123, "total": 1, "unlocked_count": 1, "newly_unlocked": [\(unlocked)],
         "achievements": [\(SecretMaster.revealed)]}
        """)
      #expect(try await world.answer("gread_check(\(Int32(number + 1)), 123)") == expected)
    }
    for (version, items) in [(Int32(1), ""), (2, SecretMaster.masked)] {
      let expected = try DocumentJSON(
        """
        {"user_id": 124, "total": \(version - 1), "unlocked_count": 0, "newly_unlocked": [], "achievements": [\(items)]}
        """)
      #expect(try await world.answer("gread_check(\(version), 124)") == expected)
    }
  }

  @Test func `a category and a filter select achievements, and the number of unlocked ones stays`() async throws {
    let world = try await Self.world()
    let open = SecretMaster.definition.replacing("secret-master", with: "open").replacing("true", with: "false")
      .replacing("\"authors\"", with: "\"career\"").replacing("7}", with: "1}")
      .replacing("\"value\": 50", with: "\"value\": 60, \"condition\": \"all of them\"")
    try await world.owner.execute("SELECT achievements.define(\(JSON(text: open)))")
    func slugs(_ call: Statement) async throws -> String {
      let answer = try await world.answer(call)
      let total = (try? "\(answer["total"].plain) \(answer["unlocked_count"].plain): ") ?? ""
      let items = try? answer["achievements"]
      return total + (try (items ?? answer).elements.map { try $0["slug"].plain }.joined(separator: " "))
    }
    #expect(try await slugs("gread_achievements(2, NULL)") == "open secret-master")
    #expect(try await slugs("gread_achievements(1, NULL)") == "open")
    #expect(try await slugs("gread_achievements(2, NULL, 'authors')") == "secret-master")
    #expect(try await slugs("gread_own_achievements(2, 123)") == "2 1: open secret-master")
    #expect(try await slugs("gread_own_achievements(2, 123, 'career')") == "1 0: open")
    #expect(try await slugs("gread_own_achievements(2, 124, NULL, 'locked')") == "2 0: open secret-master")
    #expect(try await slugs("gread_own_achievements(1, 124, NULL, 'locked')") == "1 0: open")
    #expect(try await slugs("gread_user_achievements(2, NULL, 123, NULL, 'unlocked')") == "1 1: secret-master")
    let shown = try await world.answer("gread_achievement_by_slug(NULL, 'open')")
    #expect(try shown["unlock_requirements"]["condition"] == .text("all of them"))
  }

  @Test func `achievement statistics and the leaderboard have every key`() async throws {
    let world = try await Self.world()
    let row = #"{"rank": 1, "user_id": 123, "user_name": "Reader 123", "achievement_count": 1}"#
    let counted = #"{"id": 42, "name": "???", "slug": "secret-master", "unlock_count": 1}"#
    #expect(
      try await world.answer("gread_stats()")
        == DocumentJSON(
          """
          {"total_achievements": 1, "total_unlocks": 1, "average_unlocks_per_achievement": 1,
           "most_unlocked": \(counted), "least_unlocked": \(counted), "top_achievers": [\(row)]}
          """))
    let shown = try DocumentJSON("[\(row.replacing("}", with: #", "user_avatar_url": ""}"#))]")
    #expect(try await world.answer("gread_leaderboard()") == shown)
    #expect(try await world.answer("gread_leaderboard(100, 0)") == shown)
    #expect(try await world.answer("gread_leaderboard(1, 1)") == .array([]))
  }

  @Test func `malformed achievement requests are refused`() async throws {
    let world = try await Self.world()
    for (call, expected) in [
      ("gread_achievements(3, NULL)", "SD400 version"), ("gread_achievements(NULL, NULL)", "SD400 version"),
      ("gread_achievements(2, NULL, 'poetry')", "SD400 category"), ("gread_achievement(NULL, 0)", "SD404 achievement"),
      ("gread_achievement(NULL, NULL)", "SD400 id"), ("gread_achievement_by_slug(NULL, 'x')", "SD404 achievement"),
      ("gread_achievement_by_slug(NULL, '')", "SD400 slug"),
      ("gread_user_achievements(2, NULL, 999)", "SD404 user"),
      ("gread_user_achievements(2, NULL, NULL)", "SD400 user-id"),
      ("gread_user_achievements(2, NULL, 123, NULL, 'some')", "SD400 filter"),
      ("gread_user_achievements(2, NULL, 123, 'poetry')", "SD400 category"),
      ("gread_own_achievements(2, NULL)", "SD403 identity"), ("gread_own_achievements(2, 999)", "SD404 user"),
      ("gread_check(2, NULL)", "SD403 identity"), ("gread_check(2, 999)", "SD404 user"),
      ("gread_check(0, 123)", "SD400 version"), ("gread_leaderboard(0)", "SD400 limit"),
      ("gread_leaderboard(101)", "SD400 limit"), ("gread_leaderboard(10, -1)", "SD400 offset"),
    ] {
      #expect(try await world.tried("\(raw: call)") == expected, "\(call)")
    }
  }
}
