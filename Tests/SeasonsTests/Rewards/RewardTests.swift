import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Rewards") struct RewardTests {
  @Test func `rewards are shown as in the guide's examples`() async throws {
    let team = try await Team(at: "2031-09-01T10:00:00Z")
    let (ann, bob) = (try await team.runner("Ann"), try await team.runner("Bob"))
    _ = try await team.runner("Nina", team: "NU")
    #expect(
      try await team.reward(50, order: 1)
        == .init(
          id: 1, season: "xc", year: "2031", description: "Pizza", pointThreshold: 50, displayOrder: 1,
          isAchieved: false, achievedDate: nil, createdAt: "2031-09-01T10:00:00.000Z",
          updatedAt: "2031-09-01T10:00:00.000Z"))
    try await team.reward(200, order: 3)
    try await team.clock("2031-10-15T10:30:00.500Z")
    for _ in 0..<5 { try await team.earn(ann, "MEET_LOG") }
    try await team.clock("2031-10-16T00:00:00Z")
    try await team.earn(bob, "WORKOUT")
    let hoodies = try await team.reward(115, order: 2, "xc", "2031", "Custom Team Hoodies")
    #expect(hoodies.isAchieved && hoodies.achievedDate == "2031-10-16T00:00:00.000Z")
    for _ in 0..<2 {
      let progress = try await team.progress()
      #expect(progress.season == "xc" && progress.year == "2031" && progress.teamTotalPoints == 115)
      #expect(progress.activeRosterCount == 2)
      #expect(progress.rewards.map(\.displayOrder) == [1, 2, 3])
      #expect(progress.rewards.map(\.progressPercentage) == [100, 100, 57.5])
      #expect(
        progress.rewards.map(\.achievedDate) == ["2031-10-15T10:30:00.500Z", "2031-10-16T00:00:00.000Z", nil])
      let rewards: [SeasonalRewardDTO] = try await team.session.document("SELECT seasons.rewards('xc', '2031')::text")
      #expect(rewards.map(\.progressPercentage) == [nil, nil, nil])
      #expect(rewards.map(\.achievedDate) == progress.rewards.map(\.achievedDate))
      // The second time round the reward-check has run: nothing that is shown has changed.
      try await team.check()
    }
    #expect(try await team.events() == ["1 2031-10-15T10:30:00.500Z", "3 2031-10-16T00:00:00.000Z"])
  }

  @Test func `rewards have exactly the keys of the documents`() async throws {
    let team = try await Team()
    func keys(_ sql: Statement) async throws -> String {
      try await team.session.query(
        "SELECT string_agg(k, ' ' ORDER BY k) FROM jsonb_object_keys(\(fragment: sql)) AS k"
      ).one(String.self)
    }
    let request = #"{"season": "xc", "year": 2031, "description": "d", "pointThreshold": 7, "displayOrder": 1}"#
    let kept = "createdAt description displayOrder id isAchieved achievedDate pointThreshold season updatedAt year"
      .split(separator: " ").sorted().joined(separator: " ")
    #expect(try await keys("seasons.create_reward(\(JSON(text: request)))") == kept)
    #expect(try await keys("seasons.update_reward(1, '{}')") == kept)
    let shown = "achievedDate description displayOrder id isAchieved pointThreshold progressPercentage season year"
    #expect(try await keys("seasons.rewards('xc', '2031')->0") == shown)
    #expect(try await keys("seasons.progress('xc', '2031')->'rewards'->0") == shown)
    #expect(
      try await keys("seasons.progress('xc', '2031')") == "activeRosterCount rewards season teamTotalPoints year")
    #expect(
      try await keys("seasons.runner_points(\(team.runner()), 'xc', '2031')") == "pointsEarned runnerId season year")
  }

  @Test func `rewards round a percentage down to two decimals`() async throws {
    let team = try await Team()
    try await team.earn(team.runner(), "MEET_LOG")
    try await team.reward(30, order: 1)
    try await team.reward(1_000_000_000, order: 2)
    #expect(try await team.progress().rewards.map(\.progressPercentage) == [66.66, 0])
  }

  @Test func `rewards keep omitted and null fields of an update, and their own order on request`() async throws {
    let team = try await Team()
    try await team.reward(50, order: 1)
    try await team.reward(60, order: 2)
    try await team.clock("2031-06-11T00:00:00Z")
    let changed = try await team.update(1, .init(description: "More", displayOrder: 1))
    #expect(changed.description == "More" && changed.pointThreshold == 50 && changed.displayOrder == 1)
    #expect(changed.createdAt == "2031-06-10T08:00:00.000Z" && changed.updatedAt == "2031-06-11T00:00:00.000Z")
    #expect(try await outcome { try await team.update(1, .init(displayOrder: 2)) } == "SD400 display-order")
    #expect(try await outcome { try await team.update(9, .init(displayOrder: 2)) } == "SD404 reward")
    #expect(try await outcome { try await team.reward(50, order: 2) } == "SD400 display-order")
    try await team.reward(50, order: 2, "track")
    #expect(try await team.update(1, .init(displayOrder: 3)).displayOrder == 3)
  }

  @Test func `rewards count the runners on the season's roster, and no others`() async throws {
    let team = try await Team()
    for (graduating, side, xc, track) in [
      (2032, "UA", true, true), (2035, "UA", true, true), (2031, "UA", true, true), (2036, "UA", true, true),
      (2033, "NU", true, true), (2033, "UA", false, true), (2033, "UA", true, false),
    ] as [(Int64, String, Bool, Bool)] {
      let runner = try await team.runner(class: graduating, team: side, xc: xc, track: track)
      for season in ["xc", "track"] { try await team.earn(runner, "LIFTING", nil, season, "2031") }
    }
    for (season, ids) in [("xc", 3), ("track", 3)] {
      let shown = try await team.progress(season, "2031")
      #expect(shown.activeRosterCount == ids && shown.teamTotalPoints == ids * 10, "\(season)")
    }
    try await team.setActive(1, false)
    #expect(try await team.progress().teamTotalPoints == 20)
    try await team.earn(1, "LIFTING", nil, "xc", "2031")
    #expect(try await team.progress().teamTotalPoints == 20)
    try await team.setActive(1, true)
    #expect(try await team.progress().teamTotalPoints == 40)
    #expect(try await team.differences() == "[]")
  }

  @Test func `reached rewards are reported before they are deleted, even without the reward-check`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    for order in 1...3 { try await team.reward(order * 10, order: order) }
    try await team.earn(ann, "MEET_LOG")
    for id in [1, 3] { _ = try await team.session.query("SELECT seasons.delete_reward(\(Int64(id)))") }
    try await team.check()
    _ = try await team.session.query("SELECT seasons.delete_reward(2)")
    #expect(try await team.events() == ["1 2031-06-10T08:00:00.000Z", "2 2031-06-10T08:00:00.000Z"])
    #expect(try await team.progress().rewards == [])
  }

  @Test func `the rewards of a season are limited to one answer, with descriptions of any length`() async throws {
    let team = try await Team()
    let refused = try await outcome { try await team.reward(50, order: 5001) }
    #expect(refused == "SD400 display-order")
    try await team.session.script(
      """
      INSERT INTO seasons.reward (season, year, description, point_threshold, display_order, created_at, updated_at)
        SELECT 'xc', 2031, repeat('😀', 10000), 50, n, settled.clock(), settled.clock() FROM generate_series(1, 5000) AS n;
      """)
    let shown = try await team.session.query(
      "SELECT jsonb_array_length(seasons.progress('xc', '2031')->'rewards')::bigint"
    ).one(Int64.self)
    #expect(shown == 5000)
  }

  @Test func `rewards are reached any number of times in one transaction, beside its own cursors`() async throws {
    let team = try await Team()
    try await team.earn(team.runner(), "MEET_LOG")
    let app = try await team.database.connect(.app)
    try await app.execute("BEGIN")
    try await app.execute("DECLARE later CURSOR FOR SELECT 1")
    for order in 1...3 {
      let request = JSON(
        text: """
          {"season": "xc", "year": 2031, "description": "d", "pointThreshold": 10, "displayOrder": \(order)}
          """)
      let made: SeasonalReward = try await app.document("SELECT seasons.create_reward(\(request))::text")
      #expect(made.isAchieved)
    }
    try await app.execute("COMMIT")
  }

  @Test func `changed figures beside the ledger of rewards show as a difference`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    try await team.reward(10, order: 1)
    try await team.reward(100, order: 2)
    for _ in 0..<3 { try await team.earn(ann, "LIFTING") }
    #expect(
      try await team.session.query("SELECT seasons.verify()::text").one(String.self)
        == #"{"totals": 2, "rewards": 2, "differences": []}"#)
    for (change, found) in [
      ("UPDATE seasons.runner SET points = 31", ["points 1 31 30"]),
      ("UPDATE seasons.seasonal_total SET points = 29", ["seasonal total 1 29 30", "team total 30 29"]),
      (
        "UPDATE seasons.seasonal_total SET year = 2030",
        [
          "seasonal total 1 30 0", "seasonal total 1 0 30", "team total 30 0", "team total 0 30",
        ]
      ),
      ("UPDATE seasons.team_change SET earned = 11 WHERE earned > 0", ["team total 33 30", "version 2 33 30"]),
      ("UPDATE seasons.team_change SET moved = 5 WHERE earned > 0", ["team total 45 30"]),
      ("UPDATE seasons.reward SET achieved_date = now() WHERE id = 2", ["reward 2 100 30"]),
      ("UPDATE seasons.reward SET achieved_date = now() WHERE id = 1", []),
      ("UPDATE seasons.reward SET point_threshold = 31 WHERE id = 2", ["threshold 2 31 100"]),
      (
        """
        WITH gone AS (DELETE FROM seasons.team_change RETURNING *)
        INSERT INTO seasons.team_total
          SELECT season, year, version, sum(moved), sum(earned) FROM gone GROUP BY season, year, version
        """, ["not recorded 1 10 30"]
      ),
    ] {
      try await team.session.transaction(commit: false) { transaction in
        try await transaction.execute(Statement(raw: change))
        let told = try await transaction.query(
          """
          SELECT concat_ws(' ', d->>'what', d->>'runnerId', d->>'rewardId', d->>'stored', d->>'computed')
          FROM jsonb_array_elements(seasons.verify()->'differences') WITH ORDINALITY AS a (d, place) ORDER BY place
          """
        ).decode(String.self)
        #expect(told.sorted() == found.sorted(), "\(change)")
      }
    }
  }
}
