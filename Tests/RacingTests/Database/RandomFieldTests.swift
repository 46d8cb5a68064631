import Engine
import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Any settlement in the database", .timeLimit(.minutes(5)))
struct RandomFieldTests {
  private static func leaderboard(_ race: Int64, _ session: Connection) async throws -> [[Int64]] {
    let rows = try await session.query(
      """
      SELECT (e->>'rank')::bigint, (e->>'entryId')::bigint, (e->>'score')::bigint, (e->>'activityId')::bigint
      FROM jsonb_array_elements(racing.leaderboard(\(race), 500)->'entries') WITH ORDINALITY AS t(e, n) ORDER BY n
      """
    ).decode(Int64.self, Int64.self, Int64.self, Int64.self)
    return rows.map { [$0.0, $0.1, $0.2, $0.3] }
  }

  private static func places(_ preview: SettlementPreview) -> [[Int64]] {
    preview.result.ranking.compactMap { entry in
      guard let rank = entry.rank, let score = entry.score, let activity = entry.activityId else { return nil }
      return [Int64(rank), entry.entryId, score, activity]
    }
  }

  /// Everything that a settlement may write, as one text.
  private static func state(_ session: Connection) async throws -> String {
    let tables = ["race", "entry", "wallet", "journal", "posting", "settlement", "payout", "activity"]
    let hashes = (tables.map { "racing.\($0)" } + ["settled.event_pending", "settled.failure"]).map {
      "(SELECT coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') FROM \($0) AS t)"
    }
    return try await session.query("SELECT \(raw: hashes.joined(separator: " || "))").one(String.self)
  }

  /// Whether the payouts differ among all combinations of "each held activity counts, or does not".
  private static func heldMatter(_ race: Int64, _ day: RaceDay) async throws -> Bool {
    let held = try await day.session.query(
      """
      SELECT DISTINCT activity_id FROM racing.qualifying_activity
      WHERE race_id = \(race) AND is_held
      """
    ).decode(Int64.self)
    var outcomes: Set<[Payout]> = []
    for combination in 0..<(1 << held.count) {
      let counting = held.enumerated().filter { combination & (1 << $0.offset) != 0 }.map(\.element)
      let payouts = try await day.session.transaction(commit: false) { transaction -> [Payout] in
        try await transaction.execute(
          """
          UPDATE racing.activity SET status = 'disqualified', reasons = '{}', scored = false, flag_count = 0,
            top_speed_mm_per_s = NULL, distance_cm = NULL, fastest_1km_ms = NULL, fastest_5km_ms = NULL
          WHERE id = ANY(\(held)) AND id <> ALL(\(counting))
          """)
        try await transaction.execute(
          """
          UPDATE racing.activity AS a SET status = 'verified', reasons = '{}', scored = true, flag_count = 0,
            top_speed_mm_per_s = s.top_speed_mm_per_s,
            distance_cm = s.distance_cm, fastest_1km_ms = s.fastest_1km_ms, fastest_5km_ms = s.fastest_5km_ms
          FROM scored AS s WHERE s.id = a.id AND a.id = ANY(\(counting))
          """)
        let now = try await BusinessClock.read(transaction)
        let task = try #require(try await SettlementJob().gather([race], at: now, in: transaction).first)
        guard case .settlement(let input, _) = task.work else { return [] }
        return try Settlement.settle(input).payouts
      }
      outcomes.insert(payouts)
    }
    return outcomes.count > 1
  }

  /// Eight races of all types over one day, with up to seven of ten athletes each; some entries taken out, some
  /// activities pending (scored or not), under review, rejected with a review, or with flags enough to hold them.
  private static func plant(_ day: RaceDay, _ random: inout SeededGenerator) async throws -> [Int64] {
    var races: [Int64] = []
    for index in 0..<8 {
      races.append(
        try await day.course.race(
          type: RaceType.allCases[index % 4].rawValue, duration: ["daily", "weekly", "monthly"][index % 3],
          from: "2031-06-03T00:00:0\(index)Z"))
    }
    var athletes: [Int64] = []
    for _ in 0..<10 { athletes.append(try await day.course.athlete(pence: 1_000_000)) }
    var entries: [Int64] = []
    for race in races {
      for athlete in athletes.shuffled(using: &random).prefix(Int.random(in: 0...7, using: &random)) {
        entries.append(try await day.course.enter(athlete, race))
      }
    }
    try await day.pass(to: "2031-06-03T12:00:00Z")
    var stravaIds = (1...Int64(100)).shuffled(using: &random)
    for athlete in athletes {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        _ = try await day.course.outing(
          athlete, stravaId: stravaIds.removeLast(), at: "2031-06-03T1\(Int.random(in: 0...1, using: &random)):00:00Z",
          maxSpeed: "\(Int.random(in: 2...5, using: &random))", distance: "\(Int.random(in: 4...7, using: &random))000",
          movingTime: "\(Int.random(in: 20...23, using: &random))00")
      }
    }
    try await day.validate()
    try await day.session.script("CREATE TABLE scored AS SELECT * FROM racing.activity")
    let activities = try await day.session.query("SELECT id FROM racing.activity ORDER BY id").decode(Int64.self)
    let users = try await day.course.spectators(3)
    for activity in activities.shuffled(using: &random).prefix(5) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        try await day.course.flag(activity, by: [users[0]])
        try await day.course.review(activity, "request_info")
      case 4:
        try await day.session.execute(
          "UPDATE racing.activity SET status = 'rejected', reasons = '{gps}' WHERE id = \(activity)")
        try await day.session.execute(
          "INSERT INTO racing.review (activity_id, opened_at) VALUES (\(activity), settled.clock())")
      case 5:
        try await day.course.flag(activity, by: users)
        try await day.session.execute(
          "UPDATE racing.activity SET status = 'rejected', reasons = '{gps}' WHERE id = \(activity)")
      case 3: try await day.course.flag(activity, by: users)  // Nobody escalates.
      case 1: try await day.session.execute("UPDATE racing.activity SET status = 'pending' WHERE id = \(activity)")
      default:
        try await day.session.execute(
          """
          UPDATE racing.activity SET status = 'pending', scored = false, top_speed_mm_per_s = NULL, distance_cm = NULL,
            fastest_1km_ms = NULL, fastest_5km_ms = NULL WHERE id = \(activity)
          """)
      }
    }
    for entry in entries where Int.random(in: 0..<12, using: &random) == 0 {
      try await day.remove(entry, as: Bool.random(using: &random) ? "disqualified" : "refunded")
    }
    return races
  }

  @Test func `any settlement equals preview and leaderboard, waits only when it matters, and happens once`()
    async throws
  {
    var random = SeededGenerator()
    let note = "\(random)"
    for _ in 0..<6 {
      let day = try await RaceDay()
      let races = try await Self.plant(day, &random)
      try await day.pass(to: RaceDay.due)
      var waiting: [Int64] = []
      var leaderboards: [Int64: [[Int64]]] = [:]
      let before = try await Self.state(day.session)
      for race in races {
        leaderboards[race] = try await Self.leaderboard(race, day.session)
        let preview = try await day.preview(race)
        #expect(Self.places(preview) == leaderboards[race], "\(note)")
        let matters = try await Self.heldMatter(race, day)
        #expect((preview.waitingFor != nil) == matters, "race \(race), \(note)")
        if matters { waiting.append(race) }
      }
      #expect(try await Self.state(day.session) == before, "a preview wrote, \(note)")
      try await settle(day, races.filter { !waiting.contains($0) }, leaderboards, note)
      let ended = try await day.session.query("SELECT id FROM racing.race WHERE status = 'ended' ORDER BY id").decode(
        Int64.self)
      #expect(ended == waiting, "\(note)")
      try await day.pass(to: "2031-06-07T01:00:00Z")
      try await settle(day, waiting, leaderboards, note)
    }
  }

  /// Lets the job settle what is due and expects of `races` what their previews said; once more changes nothing.
  private func settle(_ day: RaceDay, _ races: [Int64], _ leaderboards: [Int64: [[Int64]]], _ note: String) async throws
  {
    var previews: [Int64: SettlementPreview] = [:]
    for race in races { previews[race] = try await day.preview(race) }
    try await day.settle()
    for race in races {
      let preview = try #require(previews[race])
      let row = try await day.session.query(
        """
        SELECT outcome, input_hash, fees_pence, platform_fee_pence, prize_pool_pence FROM racing.settlement
        WHERE race_id = \(race) AND revision = 1
        """
      ).one(String.self, String.self, Int64.self, Int64.self, Int64.self)
      let result = preview.result
      #expect(row.0 == result.outcome.rawValue && row.1 == preview.inputHash, "\(note)")
      #expect([row.2, row.3, row.4] == [result.fees, result.platformFee, result.pool].map(\.amount), "\(note)")
      let payouts = try await day.course.payouts(race).map { [$0.0, $0.1, $0.2] }
      #expect(payouts == result.payouts.map { [Int64($0.place), $0.entryId, $0.amount.amount] }, "\(note)")
      let shown = try await Self.leaderboard(race, day.session)
      #expect(shown == (result.outcome == .paid ? leaderboards[race] : []), "\(note)")
    }
    #expect(try await day.differences() == [], "\(note)")
    let after = try await Self.state(day.session)
    try await day.settle()
    #expect(try await Self.state(day.session) == after, "settling again changed something, \(note)")
  }
}
