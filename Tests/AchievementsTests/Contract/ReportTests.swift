import Postgres
import TestSupport
import Testing

@Suite("A report", .timeLimit(.minutes(3))) struct ReportTests {
  private static func points(_ club: Club) async throws -> Int64 {
    let item: Achievement = try await club.read("SELECT achievements.by_slug('far', 1)::text")
    return item.progress?.current ?? -1
  }

  private static func world() async throws -> Club {
    let club = try await Club()
    try await club.join(1)
    try await club.define(Definition("far", "points", 1_000_000_000_000_000))
    return club
  }

  @Test func `a repeated report changes nothing; with other content it is refused`() async throws {
    let club = try await Self.world()
    for key in ["k", String(repeating: "k", count: 10_000), String(repeating: "é", count: 10_000)] {
      let before = try await Self.points(club)
      for _ in 0..<3 { try await club.report(1, "points", 5, key: key) }
      #expect(try await Self.points(club) == before + 5)
      for (metric, value, mode, target) in [
        ("points", 6, "add", nil), ("points", 5, "set", nil), ("books_read", 5, "add", nil),
        ("book_read", 5, "add", "x"),
      ] as [(String, Int64, String, String?)] {
        let refused = try await outcome { try await club.report(1, metric, value, mode, key: key, target: target) }
        #expect(refused == "SD409 idempotency", "\(metric) \(value) \(mode)")
      }
    }
    try await club.join(2)
    try await club.report(2, "points", 5, key: "k")
    let keys = try await club.session.query("SELECT count(*) FROM achievements.report").one(Int64.self)
    #expect(keys == 4)
  }

  @Test func `a report that is repeated after its month is recognised while its partition is kept`() async throws {
    let club = try await Self.world()
    let own = try await BuiltInSchedules(club.database)
    #expect(try await own.run("history-pruning") == "ran")
    try await club.report(1, "points", 5, key: "k")
    for day in ["2031-03-31", "2031-04-29"] {
      try await club.session.execute("SELECT settled.set_clock(\(day)::text::timestamptz)")
      #expect(try await own.run("history-pruning") == "ran")
      try await club.report(1, "points", 5, key: "k")
      #expect(try await Self.points(club) == 5, "\(day)")
    }
    try await club.session.execute("SELECT settled.set_clock('2031-05-02')")
    #expect(try await own.run("history-pruning") == "ran")
    try await club.report(1, "points", 5, key: "k")
    #expect(try await Self.points(club) == 10)
    let places = try await club.session.query("SELECT DISTINCT tableoid::regclass::text FROM achievements.report")
      .decode(String.self)
    #expect(places == ["achievements.report_2031_05"])
  }

  @Test func `a report keeps counters within bounds, and rewards add to the reported points`() async throws {
    let club = try await Self.world()
    let most: Int64 = 1_000_000_000_000_000
    try await club.define(Definition("gift", "books_read", 1, reward: 1_000_000_000))
    try await club.report(1, "books_read", 1)
    try await club.report(1, "points", most - 1, "set")
    #expect(try await outcome { try await club.report(1, "points", 2) } == "SD400 value")
    try await club.report(1, "points", 1)
    #expect(try await club.list(1).unlockedCount == 2)
    #expect(try await Self.points(club) == most + 1_000_000_000)
    try await club.report(1, "points", 0, "set")
    #expect(try await Self.points(club) == most, "an unlocked one shows no less than it asks")
    try await club.define(Definition("gift 2", "points", 1_000_000_001))
    let gift: Achievement = try await club.read("SELECT achievements.by_slug('gift 2', 1)::text")
    #expect(gift.progress == Progress(current: 1_000_000_000, required: 1_000_000_001, percentage: 99.99))
  }

  @Test func `a report counts each target separately, however long its name`() async throws {
    let club = try await Self.world()
    let names = ["a", String(repeating: "a", count: 10_000), String(repeating: "a", count: 9_999) + "b"]
    for (number, name) in names.enumerated() {
      try await club.define(Definition("of \(number)", "tag_read_count", Int64(10 + number), target: name))
      try await club.report(1, "tag_read_count", Int64(10 + number), target: name)
    }
    #expect(try await club.unlocked(1).map { $0.prefix(4) } == ["of 0", "of 1", "of 2"])
    #expect(try await club.session.query("SELECT count(*) FROM achievements.counter").one(Int64.self) == 3)
  }

  @Test func `reports from many devices at once all count, and those of one key count once`() async throws {
    let club = try await Self.world()
    let apps = club.database.pool(.app, size: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<80 {
        group.addTask {
          _ = try await apps.withConnection {
            try await $0.execute(
              "SELECT achievements.report_metric(1, 'points', 1, 'add', \("key \(number / 2)"))")
          }
        }
      }
      try await group.waitForAll()
    }
    await apps.close()
    #expect(try await Self.points(club) == 40)
  }

  @Test func `a report that locks a person's row for long delays nobody else's report and check`() async throws {
    let club = try await Self.world()
    try await club.define(Definition("gift", "points", 1, reward: 1))
    try await club.join(2)
    let app = try await club.database.connect(.app)
    try await app.transaction { transaction in
      try await transaction.execute("SELECT achievements.report_metric(1, 'points', 1, 'add', 'open')")
      try await transaction.execute("SELECT achievements.check(1)")
      try await club.session.execute("SET lock_timeout = '5s'")
      try await club.report(2, "points", 1)
      try await club.define(Definition("other", "points", 2))
      try await club.runChecks()
      #expect(try await club.list(2).unlockedCount == 2)
      #expect(try await club.events().count == 2)
    }
    try await club.runChecks()
    #expect(try await club.list(1).unlockedCount == 2)
    #expect(try await club.contradictions() == [])
  }
}
