import Postgres
import TestSupport
import Testing

@Suite("Leaderboard and entries") struct StandingsReadTests {
  /// Four entries of race 1: Ann 4.5 m/s, Bob and Cy 4.2, and Di without an activity.
  private static func raced() async throws -> Course {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let race = try await course.race()
    for (name, speed) in [("Ann", "4.5"), ("Bob", "4.2"), ("Cy", "4.2"), ("Di", nil)] {
      let athlete = try await course.athlete(name)
      _ = try await course.enter(athlete, race)
      if let speed { _ = try await course.outing(athlete, stravaId: athlete, maxSpeed: speed) }
    }
    try await course.session.run(
      "UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = max_speed * 1000")
    return course
  }

  private static func line(_ rank: Int, _ id: Int, _ name: String, _ score: Int) -> String {
    """
    {"rank": \(rank), "entryId": \(id), "athleteId": \(id), "displayName": "\(name)", "score": \(score), "activityId": \(id)}
    """
  }

  private static let lines = [line(1, 1, "Ann", 4500), line(2, 2, "Bob", 4200), line(2, 3, "Cy", 4200)]

  private static func board(_ lines: [String], updatedAt: String = "2031-06-03T12:00:00.000Z") -> String {
    #"{"raceId": 1, "updatedAt": "\#(updatedAt)", "entries": [\#(lines.joined(separator: ", "))]}"#
  }

  @Test func `the leaderboard shows live ranks of verified activities`() async throws {
    let session = try await Self.raced().session
    try await session.expect("racing.leaderboard(1)", is: Self.board(Self.lines))
    try await session.expect("racing.leaderboard(1, 2)", is: Self.board(Array(Self.lines.prefix(2))))
    for hidden in [
      "UPDATE racing.activity SET status = 'under_review' WHERE id = 1",
      "UPDATE racing.activity SET started_at = '2031-06-04' WHERE id = 1",
      "UPDATE racing.activity SET started_at = '2031-06-02 23:59:59.999999Z' WHERE id = 1",
      "UPDATE racing.activity SET imported_at = '2031-06-04 01:00Z' WHERE id = 1",
      "UPDATE racing.entry SET status = 'disqualified' WHERE id = 1",
      "UPDATE racing.entry SET status = 'refunded', is_refunded = true WHERE id = 1",
    ] {
      try await session.transaction(commit: false) { transaction in
        try await transaction.run(hidden)
        try await transaction.expect(
          "racing.leaderboard(1)", is: Self.board([Self.line(1, 2, "Bob", 4200), Self.line(1, 3, "Cy", 4200)]),
          "\(hidden)")
      }
    }
  }

  @Test func `the leaderboard orders equal activities by start, then by lower strava id`() async throws {
    let course = try await Self.raced()
    let session = course.session
    for (start, strava, wanted) in [
      ("2031-06-03T09:59:59Z", 99, 4), ("2031-06-03T10:00:01Z", 98, 1), ("2031-06-03T10:00:00Z", 97, 1),
    ] {
      try await session.transaction(commit: false) { transaction in
        let id = try await transaction.value(
          """
          INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
            distance, content_hash, imported_at, status, scored, top_speed_mm_per_s)
          VALUES (1, \(strava), '', '', '\(start)', 1, 1, 1, '', '2031-06-03', 'verified', true, 4500) RETURNING id
          """)
        let named = try await transaction.value(
          "SELECT (racing.leaderboard(1) #>> '{entries,0,activityId}')::bigint")
        #expect(named == (wanted == 4 ? id : 1), "\(start)")
      }
    }
  }

  @Test func `the leaderboard shows the settlement's rows once the race is settled`() async throws {
    let session = try await Self.raced().session
    try await session.script(
      """
      UPDATE racing.entry SET status = 'completed';
      UPDATE racing.entry SET rank = 1, score = 9000, activity_id = 1, prize_pence = 380 WHERE id = 1;
      UPDATE racing.race SET status = 'settled';
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
        prize_pool_pence, input_hash, counted_activities, held_activities)
      VALUES (1, 1, 'paid', '2031-06-04T01:02:03.9999Z', 400, 4, 396, '', '{}', '{}');
      """)
    let final = Self.board([Self.line(1, 1, "Ann", 9000)], updatedAt: "2031-06-04T01:02:03.999Z")
    try await session.expect("racing.leaderboard(1)", is: final)
    try await session.expect("racing.entry(1)", is: Self.entry(1, "completed", score: 9000, rank: 1, prize: 380))
    try await session.expect("racing.entry(2)", is: Self.entry(2, "completed"))
  }

  private static func entry(
    _ id: Int, _ status: String, score: Int? = nil, rank: Int? = nil, prize: Int = 0
  ) -> String {
    """
    {"id": \(id), "raceId": 1, "raceType": "top_speed", "athleteId": \(id), "status": "\(status)", "enteredAt": "2031-06-03T12:00:00.000Z",
     "activityId": \(score == nil ? "null" : "\(id)"), "score": \(score.map { "\($0)" } ?? "null"),
     "rank": \(rank.map { "\($0)" } ?? "null"), "prizePence": \(prize)}
    """
  }

  @Test func `an entry shows its live place, alone and in the list`() async throws {
    let course = try await Self.raced()
    let session = course.session
    let cases = [
      Self.entry(1, "entered", score: 4500, rank: 1), Self.entry(2, "entered", score: 4200, rank: 2),
      Self.entry(3, "entered", score: 4200, rank: 2), Self.entry(4, "entered"),
    ]
    for (place, document) in cases.enumerated() {
      try await session.expect("racing.entry(\(place + 1))", is: document)
      try await session.expect("racing.entries(\(place + 1))", is: "[\(document)]")
    }
    try await session.run("UPDATE racing.entry SET status = 'refunded', is_refunded = true WHERE id = 1")
    try await session.expect("racing.entry(1)", is: Self.entry(1, "refunded"))
    try await session.run("UPDATE racing.race SET status = 'cancelled'")
    try await session.expect("racing.entry(2)", is: Self.entry(2, "entered"))
    let nobody = try await course.athlete("Nobody")
    try await session.expect("racing.entries(\(nobody))", is: "[]")
  }

  /// Ties, disqualified and refunded ones, outings that are held, rejected, without a score, too early or too late:
  /// each athlete's own view of the place against the leaderboard of all.
  @Test(arguments: ["upcoming", "active", "ended"])
  func `an entry of a mixed race has the place of the leaderboard`(status: String) async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let race = try await course.race()
    for number in 1...24 {
      let athlete = try await course.athlete("Athlete \(number)")
      let entry = try await course.enter(athlete, race)
      guard number % 6 != 0 else { continue }
      for outing in 0..<2 {
        _ = try await course.outing(
          athlete, stravaId: athlete * 10 + Int64(outing), maxSpeed: "4.\((number * 7 + outing) % 5)")
      }
      if number % 8 == 1 {
        try await session.run("UPDATE racing.entry SET status = 'disqualified' WHERE id = \(entry)")
      }
    }
    try await session.script(
      """
      UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = max_speed * 1000;
      UPDATE racing.activity SET status = 'under_review' WHERE id % 9 = 2;
      UPDATE racing.activity SET flag_count = 3, flagged_at = imported_at WHERE id % 9 = 3;
      UPDATE racing.activity SET top_speed_mm_per_s = NULL WHERE id % 9 = 4;
      UPDATE racing.activity SET started_at = '2031-06-04' WHERE athlete_id % 11 = 2;
      UPDATE racing.activity SET imported_at = '2031-06-04 01:00Z' WHERE athlete_id % 11 = 3;
      UPDATE racing.race SET status = '\(status)';
      """)
    let differences: Statement = """
      SELECT e.id || ': ' || shown.place || ' and ' || coalesce(board.place, '-') FROM racing.entry AS e
        CROSS JOIN LATERAL (SELECT racing.entries(e.athlete_id) -> 0 AS j) AS own
        CROSS JOIN LATERAL (SELECT concat_ws(' ', j -> 'rank', j -> 'score', j -> 'activityId') AS place) AS shown
        LEFT JOIN LATERAL (
          SELECT concat_ws(' ', b -> 'rank', b -> 'score', b -> 'activityId') AS place
          FROM jsonb_array_elements(racing.leaderboard(\(race)) -> 'entries') AS b
          WHERE (b -> 'entryId')::bigint = e.id) AS board ON true
      WHERE shown.place <> coalesce(board.place, 'null null null')
      """
    let different = try await session.query(differences).decode(String.self)
    #expect(different.isEmpty, "\(different)")
    let board = "SELECT jsonb_array_length(racing.leaderboard(\(race)) -> 'entries')::bigint"
    #expect((8...20).contains(try await session.value(board)))
  }

  @Test func `the leaderboard ranks no entry without an activity in the race`() async throws {
    let course = try await Self.raced()
    let session = course.session
    /// The counts that the session has not told the server yet may be of an earlier transaction.
    let calls = "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_xact_user_functions WHERE funcname = 'standings'"
    func rankings(_ athlete: Int) async throws -> Int64 {
      try await session.transaction(commit: false) { transaction in
        try await transaction.run("SET LOCAL track_functions = 'all'")
        let before = try await transaction.value(calls)
        try await transaction.run("SELECT racing.entries(\(athlete))")
        return try await transaction.value(calls) - before
      }
    }
    #expect(try await rankings(1) == 1)
    #expect(try await rankings(4) == 0)
  }
}
