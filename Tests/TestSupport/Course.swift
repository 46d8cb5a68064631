package import Postgres

/// A small world for one test, made through the contract functions: athletes with money, races, entries, activities.
///
/// Calls are the owner's, so that a test can also write what no app may.
package struct Course: Sendable {
  package let database: SettledDatabase
  package let session: Connection

  /// A simulated database whose clock stands at `start`.
  package init(at start: String = "2031-06-02T09:00:00Z") async throws {
    database = try await SettledDatabase.simulated()
    session = try await database.connect()
    try await database.setClock(start)
  }

  /// The same world by another session.
  package init(database: SettledDatabase, session: Connection) {
    self.database = database
    self.session = session
  }

  /// A connected senior man with money, unless told otherwise.
  package func athlete(
    _ name: String = "Ann Other", born: String? = "2003-05-05", gender: String? = "male", pence: Int64 = 10_000
  ) async throws -> Int64 {
    let id = try await session.query(
      "SELECT racing.create_athlete(\(name), \(born)::text::date, \(gender))"
    ).one(Int64.self)
    _ = try await session.query(
      "SELECT racing.connect_strava(\(id), 'code', 'read,activity:read_all,profile:read_all')")
    if pence > 0 {
      _ = try await session.query("SELECT racing.deposit(\(id), \(pence), 'start')")
    }
    return id
  }

  package func race(
    type: String = "top_speed", duration: String = "daily", category: String = "senior_men",
    from start: String = "2031-06-03T00:00:00Z", to end: String = "2031-06-04T00:00:00Z"
  ) async throws -> Int64 {
    try await session.query(
      """
      SELECT racing.create_race(\(type), \(duration), \(category),
        \(start)::text::timestamptz, \(end)::text::timestamptz)
      """
    ).one(Int64.self)
  }

  package func enter(_ athlete: Int64, _ race: Int64) async throws -> Int64 {
    try await session.query("SELECT racing.enter_race(\(athlete), \(race))").one(Int64.self)
  }

  /// Imports an outing in British waters, long enough for every type of race; `more` has further JSON by key.
  package func outing(
    _ athlete: Int64, stravaId: Int64, at start: String = "2031-06-03T10:00:00Z", maxSpeed: String = "4.5",
    distance: String = "6000", movingTime: String = "1800", type: String = "Kayaking",
    more: [String: String] = [:]
  ) async throws -> Int64 {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let activity = """
      {"stravaId": \(stravaId), "name": "Paddle", "activityType": "\(type)", "startDate": "\(start)",
       "elapsedTime": \(movingTime), "movingTime": \(movingTime), "distance": \(distance), "maxSpeed": \(maxSpeed),
       "startLocation": \(place), "endLocation": \(place), "polyline": "mock"}
      """
    let others = "{\(more.map { #""\#($0)": \#($1)"# }.joined(separator: ", "))}"
    return try await session.query(
      "SELECT racing.import_activity(\(athlete), \(JSON(text: activity)) || \(JSON(text: others)))"
    ).one(Int64.self)
  }

  package func setClock(_ instant: String) async throws {
    try await session.execute("SELECT settled.set_clock(\(instant)::text::timestamptz)")
  }

  /// The balance of the wallet, in pence.
  package func balance(_ athlete: Int64) async throws -> Int64 {
    try await session.query("SELECT balance_pence FROM racing.wallet WHERE athlete_id = \(athlete)").one(Int64.self)
  }

  package func status(_ race: Int64) async throws -> String {
    try await session.query("SELECT status FROM racing.race WHERE id = \(race)").one(String.self)
  }

  /// Place, entry, pence of the latest revision.
  package func payouts(_ race: Int64) async throws -> [(Int64, Int64, Int64)] {
    try await session.query(
      """
      SELECT place::bigint, entry_id, amount_pence FROM racing.payout WHERE race_id = \(race)
        AND revision = (SELECT max(revision) FROM racing.settlement WHERE race_id = \(race)) ORDER BY place, entry_id
      """
    ).decode(Int64.self, Int64.self, Int64.self)
  }
}
