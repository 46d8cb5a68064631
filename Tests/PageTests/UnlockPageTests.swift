import Foundation
import Postgres
import TestSupport
import Testing

/// The pages' examples of rewards, achievements, budgets and logins, played on a database.
@Suite("Pages of rewards, achievements, calls and logins", .timeLimit(.minutes(3))) struct UnlockPageTests {
  private let course: Course
  private var session: Connection { course.session }

  init() async throws {
    course = try await Course(at: "2031-09-01T10:00:00Z")
  }

  @Test func `documented dates of reached rewards match the code`() async throws {
    let (start, earlier, move) = ("2031-09-01T10:00:00Z", "2031-09-02T10:00:00Z", "2031-09-03T10:00:00Z")
    for (index, row) in try RulePage("Seasons.docc/Rewards.md").rows("The date").enumerated() {
      let (before, after) = (try row.integer("total before"), try row.integer("total after"))
      let (threshold, year) = (try row.integer("threshold"), 2031 + index * 5)
      let course = try await Course(at: start)
      let world = try await Season(course: course, year: year)
      let what = try row.text("change")
      switch what {
      case "points earned":
        try await world.make(threshold)
        try await world.earn(before)
        try await course.setClock(move)
        try await world.earn(after - before)
      case "a new reward":
        try await world.earn(before)
        try await course.setClock(move)
        try await world.make(threshold)
      case "a threshold lowered from 200":
        try await world.make(200)
        try await world.earn(before)
        try await course.setClock(move)
        try await world.lower(threshold)
      case "a returning runner":
        try await world.earn(before)
        try await world.earn(after - before, by: world.other)
        try await world.setActive(false)
        try await world.make(threshold)
        try await course.setClock(move)
        try await world.setActive(true)
      case "a runner who leaves later":
        try await world.make(threshold)
        try await world.earn(after)
        try await course.setClock(earlier)
        try await world.earn(before - after, by: world.other)
        try await course.setClock(move)
        try await world.setActive(false)
      default: Issue.record("nobody plays \(what)")
      }
      let wanted = try row.text("reached at") == "the change" ? move : earlier
      let (date, total) = try await world.achieved()
      #expect(date == wanted.replacing("Z", with: ".000Z") || date == wanted, "\(row): \(date ?? "never")")
      #expect(total == after, "\(row)")
    }
  }

  @Test func `documented unlocks of one report match the code, rewards included`() async throws {
    let rows = try RulePage("Achievements.docc/Unlocking.md").rows("The reward")
    for row in rows {
      let parts = try row.text("requires").components(separatedBy: " of ")
      let definition = """
        {"slug": "\(try row.text("achievement"))", "name": "N", "description": "D", "reward": \(try row.integer("pays")),
         "icon": {"type": "book", "color": "#000000", "symbol": "b", "svg_url": null},
         "unlock_requirements": {"metric": "\(parts[1])", "value": \(parts[0])}}
        """
      _ = try await session.query("SELECT achievements.define(\(JSON(text: definition)))")
    }
    _ = try await session.query("SELECT achievements.create_user(1, 'Ann')")
    _ = try await session.query("SELECT achievements.report_metric(1, 'books_read', 1, 'add', 'key')")
    let unlocked = try await session.query(
      """
      SELECT a ->> 'slug' FROM jsonb_array_elements(achievements.check(1) -> 'newly_unlocked') AS a ORDER BY 1
      """
    ).decode(String.self)
    #expect(unlocked == ["eighty", "fifty", "first-book"])
    let points = try await session.query("SELECT value FROM achievements.counter WHERE metric = 'points'").one(
      Int64.self)
    #expect(
      try points == rows.reduce(0) { try $0 + (unlocked.contains($1.text("achievement")) ? $1.integer("pays") : 0) })
  }

  @Test func `documented progress towards an achievement matches the code`() async throws {
    for row in try RulePage("Achievements.docc/Unlocking.md").rows("Progress") {
      let (shown, percentage) = try await session.query(
        """
        SELECT p ->> 'current', p ->> 'percentage' FROM achievements.progress_json(
          \(try row.isYes("unlocked")), \(try row.integer("current")), \(try row.integer("required"))) AS p
        """
      ).one(String.self, String.self)
      #expect(try shown == row.text("shown") && percentage == row.text("percentage"), "\(row)")
    }
  }

  @Test func `documented masks of a hidden achievement match the code`() async throws {
    let definition = """
      {"slug": "secret", "name": "The secret", "description": "D", "reward": 5, "is_hidden": true, "category": "career",
       "icon": {"type": "book", "color": "#000000", "symbol": "b", "svg_url": null}, "display_order": 3,
       "steps": [{"step_order": 1, "name": "One", "description": "D", "metric": "books_read", "target_value": 2}]}
      """
    _ = try await session.query("SELECT achievements.define(\(JSON(text: definition)))")
    for row in try RulePage("Achievements.docc/Masking.md").rows("Overview") {
      let isEqual = try await session.query(
        """
        SELECT achievements.by_slug('secret') -> \(try row.text("key")) = \(JSON(text: try row.text("masked")))
        """
      ).one(Bool.self)
      #expect(isEqual, "\(row)")
    }
    let kept = try await session.query(
      "SELECT a ->> 'slug', a ->> 'category', a ->> 'display_order', a ->> 'is_multistep' FROM achievements.by_slug('secret') AS a"
    ).one(String.self, String.self, String.self, String.self)
    #expect(kept == ("secret", "career", "3", "true"))
  }

  @Test func `documented shares of the call budget match the code`() async throws {
    for (index, row) in try RulePage("Strava.docc/CallBudget.md").rows("Worked budget").enumerated() {
      let budget = "row \(index)"
      try await session.execute("SELECT settled.set('strava.limit_15min', \(try row.text("limit")))")
      let isCode = try row.text("asked by") == "code"
      func take(_ wanted: Int64) async throws -> Int64 {
        try await session.query(
          """
          SELECT granted FROM settled.take_calls(\(budget), '{900}', '{strava.limit_15min}', 10, \(isCode), \(wanted))
          """
        ).one(Int64.self)
      }
      _ = try await take(0)
      try await session.execute(
        """
        UPDATE settled.call_window SET used = \(try row.integer("used")), used_with_reserve = \(try row.integer("used by codes"))
        WHERE budget = \(budget)
        """)
      #expect(try await take(row.integer("wanted")) == row.integer("granted"), "\(row)")
    }
  }

  @Test func `documented limits of failed logins match the code`() async throws {
    let rows = try RulePage("Accounts.docc/LogIn.md").rows("Attempts")
    let limits = try rows.map { try $0.integer("failures within 15 minutes") }
    #expect(limits.count == 3)
    for (name, limit) in zip(["ann@settled.example", "site@settled.example", "bob@settled.example"], limits) {
      func logIn(_ attempt: Int64) async throws -> String {
        let address =
          switch name.prefix(3) {
          case "ann": "192.0.2.1"
          case "sit": "2001:db8:7:\(attempt):0:0:0:0/64"
          default: "192.0.2.\(attempt % 100)"
          }
        return try await outcome { _ = try await session.query("SELECT gateway.credentials(\(name), \(address))") }
      }
      for attempt in 0..<limit { #expect(try await logIn(attempt) == "ok", "\(name) \(attempt)") }
      #expect(try await logIn(limit) == "SD429 attempts", "\(name)")
    }
  }
}

/// A season of one reward and two runners, one of whom comes and goes.
private struct Season {
  let course: Course
  let year: Int
  let runner: Int64
  let other: Int64

  init(course: Course, year: Int) async throws {
    self.course = course
    self.year = year
    func made(_ name: String) async throws -> Int64 {
      try await course.session.query("SELECT seasons.create_runner(\(name), \(Int32(year + 1)), 'UA', true, true)").one(
        Int64.self)
    }
    (runner, other) = (try await made("Ann"), try await made("Bob"))
  }

  /// Five points at a time.
  func earn(_ points: Int64, by earner: Int64? = nil) async throws {
    try #require(points % 5 == 0)
    for _ in 0..<points / 5 {
      _ = try await course.session.query(
        "SELECT seasons.earn_points(\(earner ?? runner), 'PRE_MEET_LOG', NULL, 'xc', \("\(year)"))")
    }
  }

  func make(_ threshold: Int64) async throws {
    let request = """
      {"season": "xc", "year": "\(year)", "description": "A day off", "pointThreshold": \(threshold), "displayOrder": 1}
      """
    _ = try await course.session.query("SELECT seasons.create_reward(\(JSON(text: request)))")
  }

  func lower(_ threshold: Int64) async throws {
    _ = try await course.session.query(
      "SELECT seasons.update_reward(id, \(JSON(text: "{\"pointThreshold\": \(threshold)}"))) FROM seasons.reward")
  }

  func setActive(_ active: Bool) async throws {
    _ = try await course.session.query("SELECT seasons.set_runner_active(\(other), \(active))")
  }

  func achieved() async throws -> (String?, Int64) {
    try await course.session.query(
      """
      SELECT p -> 'rewards' -> 0 ->> 'achievedDate', (p ->> 'teamTotalPoints')::bigint
      FROM seasons.progress('xc', \("\(year)")) AS p
      """
    ).one(String?.self, Int64.self)
  }
}
