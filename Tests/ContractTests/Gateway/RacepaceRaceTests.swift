import Postgres
import TestSupport
import Testing

@Suite("Races in racepace") struct RacepaceRaceTests {
  private static func race(
    _ id: Int, type: String = "top_speed", status: String = "upcoming", exact: String? = nil, count: Int = 0,
    pool: String = "0", net: String = "0"
  ) -> String {
    """
    {"id": "\(id)", "type": "\(type)", "duration": "weekly", "category": "senior_men",
     "startDate": "2031-06-03T00:00:00Z", "endDate": "2031-06-04T00:00:00Z", "entryCount": \(count), "prizePool": \(pool),
     "netPrizePool": \(net), "entryFee": 4.99, "status": "\(status)", "exactStatus": "\(exact ?? status)",
     "createdAt": "2031-06-02T09:00:00Z"}
    """
  }

  /// 89 fees of 499 p are 44,411 p; the platform keeps 444 p of them, and 43,967 p are to be won
  /// (Racing.docc/Settlement.md, "Fees and pool").
  @Test func `a racepace race shows its purse and prizes in exact pounds`() async throws {
    let course = try await Course()
    let race = try await course.race(duration: "weekly")
    try await course.session.expect("gateway.racepace_race(\(race))", is: Self.race(1))
    for _ in 1...2 { _ = try await course.enter(course.athlete(), race) }
    // 998 p, of which 9 p (0.998 rounded down) are the platform's.
    let shown = Self.race(1, count: 2, pool: "9.98", net: "9.89")
    try await course.session.expect("gateway.racepace_race(\(race))", is: shown)
    try await course.session.expect("gateway.racepace_races() #- '{0,cursor}'", is: "[\(shown)]")
    #expect(try await course.session.tried("SELECT gateway.racepace_race(9)") == "SD404 race")
    #expect(try await course.session.tried("SELECT gateway.racepace_race(NULL)") == "SD400 race-id")
  }

  @Test func `racepace lists open races unless a status is asked for; ended ones come with settled ones`() async throws
  {
    let course = try await Course()
    let statuses = ["settled", "upcoming", "ended", "cancelled", "active"]
    let types = ["top_speed", "furthest_distance", "fastest_1km", "fastest_5km", "top_speed"]
    for (place, status) in statuses.enumerated() {
      let category = place == 4 ? "masters_men" : "senior_men"
      let race = try await course.race(type: types[place], category: category)
      try await course.session.run("UPDATE racing.race SET status = '\(status)' WHERE id = \(race)")
    }
    for (filter, ids) in [
      ("{}", [2, 3, 5]), (#"{"status": null}"#, [2, 3, 5]), (#"{"status": "ended"}"#, [1, 3]),
      (#"{"status": "settled"}"#, [1]), (#"{"status": "upcoming"}"#, [2]), (#"{"status": "cancelled"}"#, [4]),
      (#"{"type": "top_speed"}"#, [5]), (#"{"type": "top_speed", "status": "ended"}"#, [1]),
      (#"{"category": "masters_men"}"#, [5]), (#"{"duration": "weekly"}"#, []),
    ] {
      let shown = try await course.session.value(
        """
        SELECT coalesce(array_agg((r ->> 'id')::bigint), '{}')
        FROM jsonb_array_elements(gateway.racepace_races('\(filter)')) AS r
        """, as: [Int64].self)
      #expect(shown == ids.map(Int64.init), "\(filter)")
    }
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_races('{\"status\": \"ended\"}'), '$[*].status')",
      is: #"["ended", "ended"]"#)
    try await course.session.expect(
      """
      jsonb_path_query_array(
        gateway.racepace_races('{}', gateway.racepace_races('{}', max => 1) #>> '{0,cursor}', 1), '$[*].id')
      """, is: #"["3"]"#)
    for (filter, rule) in [(#"{"status": "waiting"}"#, "status"), (#"{"state": "x"}"#, "key"), ("[]", "filter")] {
      #expect(try await course.session.tried("SELECT gateway.racepace_races('\(filter)')") == "SD400 \(rule)")
    }
  }

  /// The stored integers: 3,000 mm/s are 10.8 km/h, 600,025 cm are 6.00025 km, 300,001 ms are 300.001 s.
  static let scores: [(type: String, column: String, stored: Int, shown: String)] = [
    ("top_speed", "top_speed_mm_per_s", 3000, "10.8"), ("top_speed", "top_speed_mm_per_s", 4321, "15.5556"),
    ("furthest_distance", "distance_cm", 600_025, "6.00025"), ("furthest_distance", "distance_cm", 600_000, "6"),
    ("fastest_1km", "fastest_1km_ms", 300_001, "300.001"), ("fastest_5km", "fastest_5km_ms", 1_500_000, "1500"),
  ]

  @Test(arguments: scores)
  func `a racepace leaderboard shows scores as the exact decimals that are stored`(
    type: String, column: String, stored: Int, shown: String
  ) async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let athlete = try await course.athlete()
    let race = try await course.race(type: type)
    _ = try await course.enter(athlete, race)
    _ = try await course.outing(athlete, stravaId: 1)
    try await course.session.run("UPDATE racing.activity SET status = 'verified', scored = true, \(column) = \(stored)")
    try await course.setClock("2031-06-03T12:00:00.7Z")
    try await course.session.expect(
      "gateway.racepace_leaderboard(1)",
      is: """
        {"id": "1", "raceId": "1", "updatedAt": "2031-06-03T12:00:00Z", "entries": [
          {"id": "1", "rank": 1, "userId": "1", "userName": "Ann Other", "userProfileURL": null, "score": \(shown),
           "activityId": "1", "raceType": "\(type)"}]}
        """)
    try await course.session.expect("gateway.racepace_entry(1, 1) -> 'score'", is: shown)
  }

  @Test func `a racepace entry shows the payment of its fee`() async throws {
    let course = try await Course()
    let session = course.session
    _ = try await course.athlete()
    _ = try await course.athlete()
    _ = try await course.race()
    func entry(
      status: String, exact: String, activity: String = "null", score: String = "null", rank: String = "null",
      prize: String = "null", payment: Int64
    ) -> String {
      """
      {"id": "1", "userId": "1", "raceId": "1", "raceType": "top_speed", "activityId": \(activity),
       "enteredAt": "2031-06-02T09:00:00Z", "score": \(score), "rank": \(rank), "status": "\(status)",
       "exactStatus": "\(exact)", "prizeWon": \(prize), "transactionId": "\(payment)"}
      """
    }
    let shown = try await session.json("SELECT gateway.racepace_enter(1, 1)")
    let payment = try await session.value("SELECT id FROM racing.posting WHERE entry_id = 1 AND account = 'wallet'")
    let entered = entry(status: "active", exact: "entered", payment: payment)
    try await session.expect("'\(shown)'::jsonb", is: entered)
    try await session.expect("gateway.racepace_entries(1)", is: "[\(entered)]")
    try await session.expect("gateway.racepace_entries(2)", is: "[]")
    try await session.expect("gateway.racepace_entries(1, 1)", is: "[]")
    for (call, expected) in [
      ("racepace_entry(2, 1)", "SD403 self"), ("racepace_entry(1, 9)", "SD404 entry"),
      ("racepace_entry(NULL, 1)", "SD400 athlete-id"), ("racepace_enter(1, 1)", "SD409 already-entered"),
      ("racepace_enter(1, 9)", "SD404 race"), ("racepace_entries(9)", "SD404 athlete"),
    ] { #expect(try await session.tried("SELECT gateway.\(call)") == expected, "\(call)") }
    try await session.run(
      """
      UPDATE racing.entry SET status = 'completed', rank = 1, score = 9000, activity_id = 5, prize_pence = 3299 WHERE id = 1
      """)
    try await session.run("UPDATE racing.race SET status = 'settled'")
    try await session.expect(
      "gateway.racepace_entry(1, 1)",
      is: entry(
        status: "completed", exact: "completed", activity: #""5""#, score: "32.4", rank: "1", prize: "32.99",
        payment: payment))
  }
}
