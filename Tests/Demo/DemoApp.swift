import Postgres

/// The app back end of the demo: it calls the contract functions as the role that apps have, and nothing else.
struct DemoApp: Sendable {
  let pool: Pool

  func call(_ statement: Statement) async throws -> Int64 {
    try await pool.withConnection { try await $0.query(statement).one(Int64.self) }
  }

  func text(_ statement: Statement) async throws -> String {
    try await pool.withConnection { try await $0.query(statement).one(String.self) }
  }

  func createAthlete(name: String, birthday: String, gender: String) async throws -> Int64 {
    try await call("SELECT racing.create_athlete(\(name), \(birthday)::text::date, \(gender))")
  }

  func connect(_ athlete: Int64, code: String?) async throws {
    let code = code ?? "code-\(athlete)"
    _ = try await text(
      "SELECT racing.connect_strava(\(athlete), \(code), 'read,activity:read_all,profile:read_all')::text")
  }

  func deposit(_ athlete: Int64, pence: Int64) async throws {
    _ = try await text("SELECT racing.deposit(\(athlete), \(pence), \("demo-\(athlete)"))::text")
  }

  /// The race that the calendar made of these.
  func find(_ race: DemoRace) async throws -> Int64 {
    try await call(
      """
      SELECT (r->>'id')::bigint
      FROM jsonb_array_elements(racing.races(jsonb_build_object('type', \(race.type)::text,
        'duration', \(race.duration)::text, 'category', \(race.category)::text))) AS r
      WHERE (r->>'startsAt')::timestamptz = \(race.startsAt)::text::timestamptz
        AND (r->>'endsAt')::timestamptz = \(race.endsAt)::text::timestamptz
      """)
  }

  func enter(_ athlete: Int64, race: Int64) async throws {
    _ = try await call("SELECT racing.enter_race(\(athlete), \(race))")
  }

  func importActivity(_ athlete: Int64, _ activity: String) async throws {
    _ = try await call("SELECT racing.import_activity(\(athlete), \(JSON(text: activity)))")
  }

  func status(_ race: Int64) async throws -> String {
    try await text("SELECT racing.race(\(race))->>'status'")
  }

  /// Place, name, score.
  func leaderboard(_ race: Int64, max: Int32) async throws -> [(Int64, String, Int64)] {
    let statement: Statement = """
      SELECT (e->>'rank')::bigint, e->>'displayName', (e->>'score')::bigint
      FROM jsonb_array_elements(racing.leaderboard(\(race), \(max))->'entries') AS e
      """
    return try await pool.withConnection { try await $0.query(statement).decode(Int64.self, String.self, Int64.self) }
  }

  struct RaceView: Sendable {
    let status: String
    let entries: Int64
    let gross: Int64
    let platformFee: Int64
    let pool: Int64
    let outcome: String?

    init(_ row: Row) throws(PostgresError) {
      status = try row["status"]
      entries = try row["entries"]
      gross = try row["gross"]
      platformFee = try row["platform_fee"]
      pool = try row["pool"]
      outcome = try row["outcome"]
    }
  }

  func race(_ race: Int64) async throws -> RaceView {
    let statement: Statement = """
      SELECT r->>'status' AS status, (r->>'entryCount')::bigint AS entries, (r->>'grossPence')::bigint AS gross,
        (r->>'platformFeePence')::bigint AS platform_fee, (r->>'prizePoolPence')::bigint AS pool,
        r->'settlement'->>'outcome' AS outcome
      FROM racing.race(\(race)) AS r
      """
    return try await pool.withConnection { try await $0.query(statement).decodeOne(as: RaceView.init) }
  }

  /// Place, athlete, pence.
  func payouts(_ race: Int64) async throws -> [(Int64, Int64, Int64)] {
    let statement: Statement = """
      SELECT (p->>'place')::bigint, (p->>'athleteId')::bigint, (p->>'amountPence')::bigint
      FROM jsonb_array_elements(racing.race(\(race))->'settlement'->'payouts') AS p
      """
    return try await pool.withConnection { try await $0.query(statement).decode(Int64.self, Int64.self, Int64.self) }
  }

  func onboard(_ user: String, zone: String) async throws {
    _ = try await text("SELECT checkins.onboard(\(user), \(zone))::text")
  }

  func checkIn(_ user: String) async throws {
    let metrics = """
      {"sleepHours": 7.5, "steps": 8200, "vigorousMinutes": 20, "processedFoodScore": 3, "alcoholUnits": 0,
       "stressLevel": 4, "lateCaffeine": false, "screenLate": true, "bedtimeHour": 22.5}
      """
    _ = try await text("SELECT checkins.submit(\(user), \(JSON(text: metrics)))::text")
  }

  func longestStreak(_ user: String) async throws -> Int64 {
    try await call("SELECT (checkins.summary(\(user))->'streak'->>'longest')::bigint")
  }

  func balance(_ athlete: Int64) async throws -> Int64 {
    try await call("SELECT (racing.wallet(\(athlete))->>'balancePence')::bigint")
  }
}
