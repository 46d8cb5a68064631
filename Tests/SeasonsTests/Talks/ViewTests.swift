import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("Views of team talks", .timeLimit(.minutes(2))) struct ViewTests {
  private static let nobody = ViewSummary(totalViews: 0, uniqueViewers: 0, recentViews: [])

  @Test(arguments: ["runner", "nobody", nil, ""])
  func `views of talks are shown to coaches and to nobody else`(viewer: String?) async throws {
    let team = try await Team()
    try await team.user("coach", "coach")
    try await team.user("runner")
    let talk = try await team.talk()
    try await team.view(talk, "runner")
    for _ in 0..<2 {
      #expect(try await team.read(talk, as: viewer).viewSummary == Self.nobody)
      let list: [TeamTalkResponse] = try await team.session.document("SELECT seasons.team_talks(\(viewer))::text")
      #expect(list.map(\.viewSummary) == [Self.nobody])
      #expect(try await team.read(talk, as: "coach").viewSummary.totalViews == 1)
      let coachs: [TeamTalkResponse] = try await team.session.document("SELECT seasons.team_talks('coach')::text")
      #expect(coachs[0].viewSummary.recentViews.count == 1)
      try await team.rollUp()
    }
  }

  @Test func `views of talks refuse unknown talks and people, and empty names`() async throws {
    let team = try await Team()
    try await team.user("ann")
    let talk = try await team.talk()
    for (uuid, user, name, expected) in [
      (talk, "nobody", "N", "SD404 user"), (talk, "", "N", "SD400 username"), (talk, "ann", "", "SD400 display-name"),
      ("00000000-0000-0000-0000-000000000000", "ann", "N", "SD404 team-talk"), (talk, "ann", "N", "ok"),
    ] {
      let ended = try await outcome {
        _ = try await team.session.query("SELECT seasons.track_view(\(uuid)::text::uuid, \(user), \(name))")
      }
      #expect(ended == expected)
    }
  }

  @Test func `views of talks equal a plain count, at any runs and failures of the roll-up`()
    async throws
  {
    var random = SeededGenerator()
    let team = try await Team(at: "2031-06-10T08:00:00Z")
    try await team.user("coach", "coach")
    for number in 0..<30 { try await team.user("user \(number)") }
    let talks = [try await team.talk("a"), try await team.talk("b")]
    var views: [[ViewDetail]] = [[], []]
    var second = 0
    for step in 0..<240 {
      if Bool.random(using: &random) {
        second += Int.random(in: 1...40, using: &random)
        try await team.session.execute(
          "SELECT settled.set_clock('2031-06-10T08:00:00Z'::timestamptz + \(Int64(second)) * interval '1 second')")
      }
      let (place, user) = (Int.random(in: 0...1, using: &random), "user \(Int.random(in: 0..<30, using: &random))")
      try await team.view(talks[place], user)
      let at = Timestamp(microseconds: (1_938_844_800 + Int64(second)) * 1_000_000).description.prefix(19) + "Z"
      views[place].append(.init(username: user, displayName: "The \(user)", viewedAt: String(at)))
      if Int.random(in: 0..<12, using: &random) == 0 { try await rollUp(team, failing: &random) }
      if step % 10 == 0 { try await compare(team, talks, views, random) }
    }
    try await team.rollUp()
    try await compare(team, talks, views, random)
    #expect(try await team.session.query("SELECT count(*) FROM seasons.recent_view").one(Int64.self) == 40)
    // The month after next, with a retention of a week: the single views are gone, the summary stays.
    let daemon = try await team.database.connect(.daemon)
    for month in ["view_2031_06", "view_2031_07", "view_2031_08"] {
      #expect(try await daemon.query("SELECT settled.plant_partition('seasons', 'view')").one(String.self) == month)
    }
    #expect(try await team.session.query("SELECT count(*) FROM seasons.view_2031_06").one(Int64.self) == 240)
    try await team.session.execute("SELECT settled.set('seasons.view_retention', '7 days')")
    try await team.clock("2031-08-10T00:00:00Z")
    let gone = try await daemon.query("SELECT settled.prune_partition('seasons', 'view')").one(String?.self)
    #expect(gone == "view_2031_06")
    #expect(try await team.session.query("SELECT count(*) FROM seasons.view").one(Int64.self) == 0)
    try await compare(team, talks, views, random)
  }

  private func rollUp(_ team: Team, failing random: inout SeededGenerator) async throws {
    let failAt = Int.random(in: 1...12, using: &random)
    let options = StatementFault(at: failAt, sqlState: "40P01").options(team.database.options(.daemon))
    try await team.rollUp(options)
    try await team.session.execute("DELETE FROM settled.failure")
  }

  private func compare(_ team: Team, _ talks: [String], _ views: [[ViewDetail]], _ random: SeededGenerator) async throws
  {
    for (talk, views) in zip(talks, views) {
      let expected = ViewSummary(
        totalViews: views.count, uniqueViewers: Set(views.map(\.username)).count,
        recentViews: Array(views.reversed().prefix(20)))
      #expect(try await team.read(talk, as: "coach").viewSummary == expected, "\(random)")
    }
  }

  @Test func `concurrent views on two nodes are all counted, each viewer once, and nobody waits`() async throws {
    let team = try await Team()
    try await team.user("coach", "coach")
    for number in 0..<8 { try await team.user("user \(number)") }
    let talk = try await team.talk()
    let holder = try await team.database.connect(.app)
    try await holder.execute("BEGIN")
    try await team.view(talk, "user 0", on: holder)
    let nodes = (0..<2).map { TestNode(team.database, name: "node-\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let app = try await team.database.connect(.app)
          try await app.execute("SET lock_timeout = '5s'")
          for _ in 0..<40 { try await team.view(talk, "user \(number)", on: app) }
          await app.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try await team.read(talk, as: "coach").viewSummary.totalViews == 320)
    try await holder.execute("COMMIT")
    #expect(try await team.read(talk, as: "coach").viewSummary.totalViews == 321)
    try await untilTrue("all are counted") {
      try await team.session.query("SELECT count(*) FROM seasons.uncounted_view").one(Int64.self) == 0
    }
    for node in nodes { try await node.stop() }
    let summary = try await team.read(talk, as: "coach").viewSummary
    #expect(summary.totalViews == 321 && summary.uniqueViewers == 8 && summary.recentViews.count == 20)
  }

  @Test func `a hundred thousand views are read as fast as ten`() async throws {
    var touched: [Int] = []
    for views in [10, 100_000] as [Int64] {
      let team = try await Team()
      try await team.user("coach", "coach")
      let talk = try await team.talk()
      try await team.session.script(
        """
        INSERT INTO seasons.app_user (username, display_name, role)
          SELECT 'user ' || n, 'User', 'runner' FROM generate_series(1, 1000) AS n;
        INSERT INTO seasons.view (talk_id, user_id, display_name, viewed_at)
          SELECT 1, 2 + n % 1000, 'User', settled.clock() - n * interval '1 second' FROM generate_series(1, \(views)) AS n;
        INSERT INTO seasons.uncounted_view (id, talk_id, user_id, display_name, viewed_at)
          SELECT id, talk_id, user_id, display_name, viewed_at FROM seasons.view;
        """)
      try await team.rollUp()
      #expect(try await team.read(talk, as: "coach").viewSummary.totalViews == Int(views))
      for table in ["recent_view", "uncounted_view", "view_total"] {
        try await team.session.execute("VACUUM (ANALYZE) seasons.\(raw: table)")
      }
      touched.append(try await team.session.pagesTouched("SELECT seasons.team_talk(\(talk)::text::uuid, 'coach')"))
    }
    #expect(touched[1] <= touched[0] * 2, "\(touched)")
    print("pages of a talk with 10 and with 100,000 views: \(touched)")
  }
}
