import Postgres
import Seasons
import TestSupport
import Testing

/// Two transactions at once: what one of them does while the other one hangs.
@Suite("Seasons with a hung transaction", .timeLimit(.minutes(2))) struct TogetherTests {
  private func begun(_ team: Team) async throws -> Connection {
    let app = try await team.database.connect(.app)
    try await app.execute("SET lock_timeout = '5s'")
    try await app.execute("BEGIN")
    return app
  }

  @Test func `a hung earning or roster change lets every other runner earn`() async throws {
    let team = try await Team()
    let (ann, bob, cat) = (try await team.runner("Ann"), try await team.runner("Bob"), try await team.runner("Cat"))
    try await team.reward(20, order: 1)
    let (earning, changing) = (try await begun(team), try await begun(team))
    _ = try await earning.query(Team.earn(ann, "MEET_LOG", "hung"))
    try await team.setActive(bob, false, on: changing)
    let app = try await team.database.connect(.app)
    try await app.execute("SET lock_timeout = '500ms'")
    _ = try await app.query(Team.earn(cat, "MEET_LOG", nil))
    #expect(try await team.check() > 0)
    #expect(try await team.events() == ["1 2031-06-10T08:00:00.000Z"])
    for statement in [Team.earn(ann, "WORKOUT", nil), Team.earn(bob, "WORKOUT", nil)] {
      let error = await #expect(throws: PostgresError.self) { _ = try await app.query(statement) }
      #expect(error?.sqlState == "55P03")
    }
    try await earning.execute("COMMIT")
    try await changing.execute("COMMIT")
    #expect(try await team.progress().teamTotalPoints == 40)
    #expect(try await team.differences() == "[]")
  }

  @Test func `a hung removal of a runner keeps the rewards reached before it ends`() async throws {
    let team = try await Team()
    let (ann, bob) = (try await team.runner("Ann"), try await team.runner("Bob"))
    try await team.reward(40, order: 1)
    try await team.earn(bob, "MEET_LOG")
    try await team.earn(bob, "WORKOUT")
    try await team.clock("2031-06-11T00:00:00Z")
    let changing = try await begun(team)
    try await team.setActive(bob, false, on: changing)
    try await team.clock("2031-06-12T00:00:00Z")
    try await team.earn(ann, "LIFTING")
    #expect(try await team.progress().rewards[0].achievedDate == "2031-06-12T00:00:00.000Z")
    try await team.clock("2031-06-13T00:00:00Z")
    try await changing.execute("COMMIT")
    for _ in 0..<2 {
      let shown = try await team.progress()
      #expect(shown.rewards[0].achievedDate == "2031-06-12T00:00:00.000Z" && shown.teamTotalPoints == 10)
      try await team.check()
    }
    #expect(try await team.events() == ["1 2031-06-12T00:00:00.000Z"])
  }

  @Test func `a hung earning reaches rewards by the roster and threshold that it saw`() async throws {
    let team = try await Team()
    let (ann, bob) = (try await team.runner("Ann"), try await team.runner("Bob"))
    for order in 1...2 { try await team.reward(30, order: order) }
    try await team.earn(bob, "MEET_LOG")
    try await team.clock("2031-06-11T00:00:00Z")
    let earning = try await begun(team)
    _ = try await earning.query(Team.earn(ann, "WORKOUT", "late"))
    try await team.clock("2031-06-12T00:00:00Z")
    try await team.update(1, .init(pointThreshold: 1000))
    try await team.setActive(bob, false)
    try await team.check()
    #expect(try await team.progress().rewards.map(\.isAchieved) == [false, false])
    try await earning.execute("COMMIT")
    #expect(
      try await team.progress().rewards.map(\.achievedDate) == ["2031-06-11T00:00:00.000Z", "2031-06-11T00:00:00.000Z"])
    try await team.check()
    #expect(try await team.events().count == 2)
    #expect(try await team.differences() == "[]")
  }

  @Test func `a hung creation of a reward does not date it before the row that reaches it`() async throws {
    let team = try await Team()
    let ann = try await team.runner("Ann")
    let creating = try await begun(team)
    _ = try await creating.query(
      """
      SELECT seasons.create_reward('{"season": "xc", "year": 2031, "description": "d", "pointThreshold": 10,
        "displayOrder": 1}')
      """)
    try await team.clock("2031-06-11T00:00:00Z")
    try await team.earn(ann, "LIFTING")
    try await team.clock("2031-06-12T00:00:00Z")
    try await team.earn(ann, "LIFTING")
    try await creating.execute("COMMIT")
    for _ in 0..<2 {
      #expect(try await team.progress().rewards.map(\.achievedDate) == ["2031-06-11T00:00:00.000Z"])
      try await team.check()
    }
    #expect(try await team.events() == ["1 2031-06-11T00:00:00.000Z"])
  }

  @Test func `a hung change of a reward delays the check before it has locked a total`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    try await team.reward(20, order: 1)
    try await team.earn(ann, "LIFTING")
    try await team.check()
    let changing = try await begun(team)
    let pid = try await changing.backend()
    _ = try await changing.query("SELECT seasons.update_reward(1, '{\"description\": \"New\"}')")
    try await team.earn(ann, "LIFTING")
    let checking = Task { try await team.check() }
    try await team.session.untilBlocked(by: pid)
    let totals = try await team.session.query(
      "SELECT count(*) FROM (SELECT FROM seasons.team_total FOR UPDATE SKIP LOCKED) AS t"
    ).one(Int64.self)
    #expect(totals == 1)
    try await changing.execute("COMMIT")
    _ = try await checking.value
    try await untilTrue("the reward is recorded") {
      try await team.check()
      return try await team.events().count == 1
    }
  }

  @Test func `a hung change of a reward is waited for by the check of its season alone`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    for season in ["xc", "track"] { try await team.reward(10, order: 1, season) }
    try await team.check()
    let changing = try await begun(team)
    _ = try await changing.query("SELECT seasons.update_reward(1, '{\"description\": \"New\"}')")
    for season in ["xc", "track"] { try await team.earn(ann, "LIFTING", nil, season) }
    try await team.check()
    #expect(try await team.events() == ["2 2031-06-10T08:00:00.000Z"])
    #expect(try await team.progress().rewards[0].isAchieved)
    #expect(try await team.session.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    try await changing.execute("ROLLBACK")
    try await untilTrue("the reward is recorded") {
      try await team.check()
      return try await team.events().count == 2
    }
  }

  @Test func `two calls for one activity at once earn once`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    let first = try await begun(team)
    let pid = try await first.backend()
    _ = try await first.query(Team.earn(ann, "MEET_LOG", "tap"))
    let app = try await team.database.connect(.app)
    let second = Task { try await app.query(Team.earn(ann, "MEET_LOG", "tap")).one(String.self) }
    try await team.session.untilBlocked(by: pid)
    try await first.execute("COMMIT")
    #expect(try await second.value.contains(#""pointsEarned": 0"#))
    #expect(try await team.progress().teamTotalPoints == 20)
  }
}
