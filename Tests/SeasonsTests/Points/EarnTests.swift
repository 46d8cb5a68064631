import Foundation
import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("Earning points") struct EarnTests {
  private static let table = [
    "TRAINING_RUN": 10, "WORKOUT": 15, "CROSS_TRAINING": 8, "MEET_LOG": 20, "PRE_MEET_LOG": 5, "TEAM_TALK_COMMENT": 3,
    "LIFTING": 10,
  ]

  @Test func `an earning follows the table of activity types, and adds to balance and season`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    var balance = 0
    for (type, points) in Self.table.sorted(by: { $0.key < $1.key }) {
      balance += points
      let answer = try await team.earn(ann, type, "of \(type)")
      #expect(answer.success && answer.pointsEarned == points && answer.newBalance == balance, "\(type)")
    }
    let seasonal: RunnerSeasonalPointsResponse = try await team.session.document(
      "SELECT seasons.runner_points(\(ann), 'xc', '2031')::text")
    #expect(seasonal == .init(runnerId: Int(ann), season: "xc", year: "2031", pointsEarned: balance))
    #expect(try await team.progress().teamTotalPoints == balance)
  }

  @Test func `an earning answers as documented; a repeat has the first transaction and no points`() async throws {
    let team = try await Team(at: "2031-06-10T08:00:00.123Z")
    let ann = try await team.runner()
    let uuid = "550e8400-e29b-41d4-a716-446655440000"
    let call: Statement = """
      SELECT seasons.earn_points(\(ann), 'TRAINING_RUN', \(uuid), 'xc', '2031', 'Morning run - 5 miles')::text
      """
    let first: EarnPointsResponse = try await team.session.document(call)
    #expect(
      first.transaction
        == .init(
          id: 1, runnerId: ann, activityType: "TRAINING_RUN", activityUuid: uuid, points: 10, season: "xc",
          year: "2031",
          description: "Morning run - 5 miles", createdAt: "2031-06-10T08:00:00.123Z"))
    try await team.clock("2031-07-01T00:00:00Z")
    // Neither another season nor another description makes it another activity.
    for season in ["xc", "track"] {
      let again: EarnPointsResponse = try await team.session.document(
        "SELECT seasons.earn_points(\(ann), 'TRAINING_RUN', \(uuid), \(season), '2030', 'again')::text")
      #expect(again == .init(success: true, pointsEarned: 0, newBalance: 10, transaction: first.transaction))
    }
    // Another type, another runner, and calls without a uuid are other activities.
    #expect(try await team.earn(ann, "WORKOUT", uuid).newBalance == 25)
    #expect(try await team.earn(team.runner("Bob"), "TRAINING_RUN", uuid).pointsEarned == 10)
    for balance in [35, 45] { #expect(try await team.earn(ann, "TRAINING_RUN", nil).newBalance == balance) }
  }

  @Test func `one activity earns once, whether its UUID comes in capitals or small letters`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    let uuid = "550e8400-e29b-41d4-a716-446655440abc"
    #expect(try await team.earn(ann, "WORKOUT", uuid.uppercased()).pointsEarned == 15)
    for again in [uuid, uuid.uppercased(), " \(uuid)\n"] {
      #expect(try await team.earn(ann, "WORKOUT", again).pointsEarned == 0, "\(again)")
    }
    // Other ids are compared as text.
    #expect(try await team.earn(ann, "WORKOUT", "Run-7").pointsEarned == 15)
    #expect(try await team.earn(ann, "WORKOUT", "run-7").pointsEarned == 15)
    // A former release kept the digest of the text as it came.
    try await team.session.script(
      """
      SET session_replication_role = replica;
      UPDATE seasons.earning SET activity_digest = sha256(convert_to(upper('\(uuid)'), 'UTF8'))
        WHERE activity_uuid = upper('\(uuid)');
      SET session_replication_role = DEFAULT
      """)
    for again in [uuid.uppercased(), uuid, " \(uuid.uppercased())"] {
      #expect(try await team.earn(ann, "WORKOUT", again).pointsEarned == 0, "\(again)")
    }
  }

  @Test func `an earning without season or year counts for no season`() async throws {
    let team = try await Team()
    let ann = try await team.runner()
    for (season, year) in [(nil, nil), ("xc", nil), (nil, "2031")] as [(String?, String?)] {
      let answer = try await team.earn(ann, "WORKOUT", nil, season, year)
      #expect(answer.pointsEarned == 15 && answer.transaction.season == season && answer.transaction.year == year)
    }
    #expect(try await team.progress().teamTotalPoints == 0)
    let board = try await team.session.query("SELECT seasons.pride_leaderboard()::text").one(String.self)
    #expect(board == #"[{"name": "Ann", "rank": 1, "points": 45, "runnerId": 1}]"#)
    #expect(try await team.differences() == "[]")
  }

  @Test func `an earning distinguishes activity uuids of any permitted length`()
    async throws
  {
    let team = try await Team()
    let ann = try await team.runner()
    let long = String(repeating: "é", count: 9999)
    for uuid in [long + "a", long + "b", long, "A", "a"] {
      #expect(try await team.earn(ann, "WORKOUT", uuid).pointsEarned == 15)
      #expect(try await team.earn(ann, "WORKOUT", uuid).pointsEarned == 0)
    }
  }

  @Test func `active runners of UA are ranked by all of their points, equal ones together`() async throws {
    let team = try await Team()
    for (name, side, type) in [
      ("Ann", "UA", "WORKOUT"), ("Bob", "UA", "MEET_LOG"), ("Cat", "UA", "WORKOUT"), ("Dan", "NU", "MEET_LOG"),
      ("Eve", "UA", "MEET_LOG"), ("Fay", "UA", "LIFTING"),
    ] {
      try await team.earn(team.runner(name, team: side), type)
    }
    try await team.setActive(5, false)
    let shown = try await team.session.query(
      """
      SELECT concat_ws(' ', r->>'rank', r->>'name', r->>'points')
      FROM jsonb_array_elements(seasons.pride_leaderboard(3)) AS r
      """
    ).decode(String.self)
    #expect(shown == ["1 Bob 20", "2 Ann 15", "2 Cat 15"])
  }

  @Test func `a season's leaderboard ranks by what was earned in it`() async throws {
    let team = try await Team()
    let (ann, bob) = (try await team.runner("Ann"), try await team.runner("Bob"))
    try await team.earn(ann, "MEET_LOG", "1", "xc", "2031")
    try await team.earn(bob, "WORKOUT", "2", "xc", "2031")
    try await team.earn(bob, "MEET_LOG", "3", "track", "2031")
    _ = try await team.runner("Cat")
    for (arguments, expected) in [
      ("10", ["1 Bob 35", "2 Ann 20", "3 Cat 0"]), ("10, 'xc', '2031'", ["1 Ann 20", "2 Bob 15", "3 Cat 0"]),
      ("10, 'track', '2031'", ["1 Bob 20", "2 Ann 0", "2 Cat 0"]), ("1, 'xc', '2031', 1", ["2 Bob 15"]),
      ("1, NULL, NULL, 2", ["3 Cat 0"]),
    ] {
      let shown = try await team.session.query(
        """
        SELECT concat_ws(' ', r->>'rank', r->>'name', r->>'points')
        FROM jsonb_array_elements(seasons.pride_leaderboard(\(raw: arguments))) AS r
        """
      ).decode(String.self)
      #expect(shown == expected, "\(arguments)")
    }
    for (arguments, expected) in [
      ("10, 'xc'", "SD400 year"), ("10, NULL, '2031'", "SD400 season"), ("10, 'golf', '2031'", "SD400 season"),
      ("10, 'xc', '31'", "SD400 year"), ("10, NULL, NULL, -1", "SD400 skip"),
    ] {
      let ended = try await outcome {
        _ = try await team.session.query("SELECT seasons.pride_leaderboard(\(raw: arguments))")
      }
      #expect(ended == expected, "\(arguments)")
    }
  }

  @Test(arguments: [
    ("2031-06-02T03:59:59Z", "track", "2030"), ("2031-06-02T04:00:00Z", "xc", "2031"),
    ("2031-11-18T04:59:59Z", "xc", "2031"), ("2031-11-18T05:00:00Z", "track", "2031"),
    ("2032-01-01T04:59:59Z", "track", "2031"), ("2025-01-15T12:00:00Z", "track", "2024"),
    ("2032-06-01T12:00:00Z", "track", "2031"),
  ])
  func `an earning belongs to the season in the calendar of the setting`(at: String, season: String, year: String)
    async throws
  {
    let team = try await Team()
    let shown = try await team.session.query("SELECT seasons.season_of(\(at)::text::timestamptz)::text").one(
      String.self)
    #expect(shown == #"{"year": "\#(year)", "season": "\#(season)"}"#)
  }

  @Test func `sixteen connections with repeats earn distinct activities, and reach each reward once`()
    async throws
  {
    var random = SeededGenerator()
    let team = try await Team()
    for number in 1...8 { _ = try await team.runner("Runner \(number)") }
    for order in 1...12 { try await team.reward(order * 150, order: order) }
    let types = Self.table.keys.sorted()
    let calls = (0..<16).map { _ in
      (0..<60).map { _ -> (Int64, String, String) in
        let activity = Int.random(in: 1...220, using: &random)
        return (Int64(1 + activity % 8), types[activity % types.count], "activity \(activity)")
      }
    }
    let node = TestNode(team.database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for own in calls {
        group.addTask {
          let app = try await team.database.connect(.app)
          for (runner, type, uuid) in own { _ = try await app.query(Team.earn(runner, type, uuid)) }
          await app.close()
        }
      }
      try await group.waitForAll()
    }
    try await untilTrue("no change waits, \(random)") {
      try await team.session.query("SELECT count(*) FROM seasons.team_change").one(Int64.self) == 0
    }
    try await node.stop()
    let distinct = Set(calls.joined().map { "\($0.0) \($0.1) \($0.2)" })
    let points = distinct.reduce(0) { $0 + (Self.table[String($1.split(separator: " ")[1])] ?? 0) }
    let shown = try await team.progress()
    #expect(shown.teamTotalPoints == points, "\(random)")
    let reached = shown.rewards.filter { $0.pointThreshold <= points }
    #expect(shown.rewards.filter(\.isAchieved) == reached, "\(random)")
    let keys = try await team.session.query(
      """
      SELECT key FROM (SELECT key FROM settled.event_pending WHERE topic = 'reward.achieved'
        UNION ALL SELECT key FROM settled.event WHERE topic = 'reward.achieved') AS e ORDER BY key::bigint
      """
    ).decode(String.self)
    #expect(keys == reached.map { "\($0.id)" }, "\(random)")
    #expect(try await team.differences() == "[]", "\(random)")
  }
}
