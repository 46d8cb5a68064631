import Postgres

/// A team whose runners earn points day by day, and the rewards that it reaches together.
struct DemoTeam: Sendable {
  let app: DemoApp
  let owner: DemoOwner
  let show: @Sendable (String) -> Void

  private static let names = ["Ada", "Bea", "Cal", "Dev", "Eli", "Flo"]
  private static let rewards = [("Pizza party", 120), ("Team hoodies", 250), ("Trip to the indoor meet", 1000)]
  private static let activities = ["TRAINING_RUN", "WORKOUT", "MEET_LOG"]

  func begin() async throws {
    for name in Self.names { try await app.createRunner(name) }
    for (order, (description, threshold)) in Self.rewards.enumerated() {
      try await app.createReward(description, threshold: threshold, order: order + 1)
    }
    for name in Self.names { try await app.createUser(name, role: "runner") }
    try await app.createUser("coach", role: "coach")
    try await app.createTalk("Pre-race strategy")
    show(
      "\nA team of \(Self.names.count) runs for rewards, track season 2030: points of all its runners count together")
  }

  /// Each logs one more activity; a double tap earns nothing. Each day fewer read the coach's talk.
  func log(day: Int) async throws {
    for name in Self.names.dropLast(2 * day) { try await app.viewTalk(as: name) }
    for runner in 1...Int64(Self.names.count) {
      for _ in 0..<2 { try await app.earn(runner, Self.activities[day], uuid: "\(Self.activities[day]) day \(day)") }
    }
  }

  func run() async throws {
    let (total, runners) = try await app.teamTotal()
    show("\nThe team's \(runners) runners have \(total) points:")
    for (description, threshold, achieved, percentage) in try await app.rewards() {
      show("  \(achieved.map { "reached \($0)" } ?? "at \(percentage) %")  \(description) (\(threshold) points)")
    }
    let (views, viewers, latest) = try await app.talkViews()
    show("  The coach's talk was viewed \(views) times by \(viewers) of them, at last by \(latest)")
  }
}

extension DemoApp {
  func createRunner(_ name: String) async throws {
    _ = try await call("SELECT seasons.create_runner(\(name), 2032, 'UA', true, true)")
  }

  func createReward(_ description: String, threshold: Int, order: Int) async throws {
    _ = try await text(
      """
      SELECT seasons.create_reward(jsonb_build_object('season', 'track', 'year', '2030', 'description', \(description)::text,
        'pointThreshold', \(Int64(threshold)), 'displayOrder', \(Int64(order))))::text
      """)
  }

  func earn(_ runner: Int64, _ activity: String, uuid: String) async throws {
    _ = try await text("SELECT seasons.earn_points(\(runner), \(activity), \(uuid), 'track', '2030')::text")
  }

  func createUser(_ name: String, role: String) async throws {
    _ = try await text("SELECT seasons.create_user(\(name), \(name), \(role))::text")
  }

  func createTalk(_ title: String) async throws {
    _ = try await text(
      """
      SELECT seasons.create_team_talk(jsonb_build_object('author', 'coach', 'season', 'track', 'year', '2030',
        'title', \(title)::text, 'content', '# Start slowly', 'team', 'UA'))::text
      """)
  }

  func viewTalk(as name: String) async throws {
    _ = try await text(
      """
      SELECT seasons.track_view((seasons.team_talks(max => 1)->0->'teamTalk'->>'uuid')::uuid, \(name), \(name))::text
      """)
  }

  /// Views, viewers, who viewed it last.
  func talkViews() async throws -> (Int64, Int64, String) {
    let statement: Statement = """
      SELECT (v->>'totalViews')::bigint, (v->>'uniqueViewers')::bigint, v->'recentViews'->0->>'displayName'
      FROM (SELECT seasons.team_talks('coach', max => 1)->0->'viewSummary' AS v) AS t
      """
    return try await pool.withConnection { try await $0.query(statement).one(Int64.self, Int64.self, String.self) }
  }

  /// Points and active runners.
  func teamTotal() async throws -> (Int64, Int64) {
    let statement: Statement = """
      SELECT (p->>'teamTotalPoints')::bigint, (p->>'activeRosterCount')::bigint FROM seasons.progress('track', '2030') AS p
      """
    return try await pool.withConnection { try await $0.query(statement).one(Int64.self, Int64.self) }
  }

  /// Description, threshold, when it was reached, percentage.
  func rewards() async throws -> [(String, Int64, String?, String)] {
    let statement: Statement = """
      SELECT r->>'description' AS description, (r->>'pointThreshold')::bigint AS threshold,
        r->>'achievedDate' AS achieved, r->>'progressPercentage' AS percentage
      FROM jsonb_array_elements(seasons.progress('track', '2030')->'rewards') AS r
      """
    return try await pool.withConnection {
      try await $0.query(statement).decodeAll { row in
        (try row["description"], try row["threshold"], try row["achieved"], try row["percentage"])
      }
    }
  }
}
