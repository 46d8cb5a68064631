package import Postgres

/// People of a small team who check in, earn points, watch talks and read: the calls of the other systems.
package struct PeopleCalls: Sendable {
  private static let people = 24
  private static let zones = ["Europe/London", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata"]
  private static let metrics = """
    {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0,
     "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """

  private let runners: [Int64]
  private let talk: String
  private let season: String
  private let year: String

  /// Makes the people, rewards that the team will reach, achievements, and a talk; by the owner.
  package init(_ owner: Connection) async throws {
    let year = try await owner.query("SELECT extract(year FROM settled.clock())::bigint").one(Int64.self)
    (self.season, self.year) = ("xc", "\(year)")
    runners = try await owner.query(
      "SELECT seasons.create_runner('Runner ' || n, \(year)::int + 1, 'UA', true, true) FROM generate_series(1, 8) AS n"
    ).decode(Int64.self)
    for user in 1...Int64(Self.people) {
      let zone = Self.zones[Int(user) % Self.zones.count]
      _ = try await owner.query(
        """
        SELECT checkins.onboard(\("person-\(user)"), \(zone))::text, seasons.create_user(\("user-\(user)"), 'A user', 'runner'),
          achievements.create_user(\(user), \("Reader \(user)"))::text
        """)
    }
    for (place, threshold) in [100, 400, 1200, 3000].enumerated() {
      _ = try await owner.query(
        """
        SELECT seasons.create_reward(jsonb_build_object('season', 'xc', 'year', \("\(year)"), 'description', 'Pizza',
          'pointThreshold', \(Int64(threshold)), 'displayOrder', \(Int64(place + 1))))
        """)
      _ = try await owner.query(
        """
        SELECT achievements.define(jsonb_build_object('slug', 'a' || \(Int64(place)), 'name', 'A', 'description', 'Read',
          'icon', '{"type": "symbol", "color": "#FFFFFF", "symbol": "book"}'::jsonb, 'category', 'career', 'reward', 5,
          'unlock_requirements', jsonb_build_object('metric', 'books_read', 'value', \(Int64(threshold)) / 25),
          'display_order', \(Int64(place))))
        """)
    }
    talk = try await owner.query(
      """
      SELECT seasons.create_team_talk(jsonb_build_object('author', 'user-1', 'season', 'xc', 'year', \("\(year)"),
        'title', 'A talk', 'content', 'Tips', 'team', 'UA'))::text
      """
    ).one(String.self)
  }

  package func script() -> LoadScript {
    { turn, random in call(turn, &random) }
  }

  private func call(_ turn: LoadTurn, _ random: inout SeededGenerator) -> LoadCall {
    let person = Int64.random(in: 1...Int64(Self.people), using: &random)
    let key = "people-\(turn.client)-\(turn.turn)"
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<20:
      return LoadCall(
        "check-in", "SELECT 1::bigint FROM checkins.submit(\("person-\(person)"), \(JSON(text: Self.metrics)))")
    case 20..<50:
      let runner = runners.randomElement(using: &random) ?? 0
      return LoadCall(
        "points", promising: .points(uuid: key),
        "SELECT 1::bigint FROM seasons.earn_points(\(runner), 'TRAINING_RUN', \(key), \(season), \(year))")
    case 50..<80:
      return LoadCall(
        "report", promising: .report(key: key),
        "SELECT 1::bigint FROM achievements.report_metric(\(person), 'books_read', 1, 'add', \(key))")
    default:
      return LoadCall(
        "view",
        "SELECT 1::bigint FROM seasons.track_view(\(talk)::text::uuid, \("user-\(person)"), 'A user', 'UA')")
    }
  }
}
