import Engine
import Foundation
import Postgres
import Seasons
import TestSupport

/// A team in a simulated database; the reward-check runs when the test says so.
struct Team: Sendable {
  let database: SettledDatabase
  let session: Connection

  init(at start: String = "2031-06-10T08:00:00Z") async throws {
    database = try await SettledDatabase.simulated()
    session = try await database.connect()
    try await clock(start)
  }

  func clock(_ instant: String) async throws {
    try await session.execute("SELECT settled.set_clock(\(instant)::text::timestamptz)")
  }

  /// A runner whom the rosters of 2028 to 2031 have.
  func runner(
    _ name: String = "Ann", class graduating: Int64 = 2032, team: String = "UA", xc: Bool = true, track: Bool = true
  ) async throws -> Int64 {
    try await session.query("SELECT seasons.create_runner(\(name), \(graduating)::int, \(team), \(xc), \(track))")
      .one(Int64.self)
  }

  static func earn(
    _ runner: Int64, _ type: String = "TRAINING_RUN", _ uuid: String?, _ season: String? = "xc",
    _ year: String? = "2031"
  ) -> Statement {
    "SELECT seasons.earn_points(\(runner), \(type), \(uuid), \(season), \(year))::text"
  }

  @discardableResult
  func earn(
    _ runner: Int64, _ type: String = "TRAINING_RUN", _ uuid: String? = nil, _ season: String? = "xc",
    _ year: String? = "2031"
  ) async throws -> EarnPointsResponse {
    try await session.document(Self.earn(runner, type, uuid, season, year))
  }

  @discardableResult
  func reward(
    _ threshold: Int, order: Int, _ season: String = "xc", _ year: String = "2031", _ description: String = "Pizza"
  ) async throws -> SeasonalReward {
    let request = CreateSeasonalRewardRequest(
      season: season, year: year, description: description, pointThreshold: threshold, displayOrder: order,
      createdBy: nil)
    return try await session.document("SELECT seasons.create_reward(\(try JSON(request)))::text")
  }

  @discardableResult
  func update(_ reward: Int64, _ request: UpdateSeasonalRewardRequest) async throws -> SeasonalReward {
    try await session.document("SELECT seasons.update_reward(\(reward), \(try JSON(request)))::text")
  }

  func setActive(_ runner: Int64, _ active: Bool, on session: Connection? = nil) async throws {
    _ = try await (session ?? self.session).query("SELECT seasons.set_runner_active(\(runner), \(active))")
  }

  func progress(_ season: String = "xc", _ year: String = "2031") async throws -> SeasonalProgressResponse {
    try await session.document("SELECT seasons.progress(\(season), \(year))::text")
  }

  /// Runs the reward-check until nothing is due; returns how many changes it took.
  @discardableResult
  func check() async throws -> Int {
    let pool = database.pool()
    defer { Task { await pool.close() } }
    return try await JobRunner(RewardCheckJob(), in: database.context(pool)).runAllDue()
  }

  /// `REWARD DATE` of each event, in the order of the rewards.
  func events() async throws -> [String] {
    try await session.query(
      """
      SELECT key || ' ' || (payload->>'achievedDate') FROM settled.event_pending WHERE topic = 'reward.achieved'
      ORDER BY key::bigint, 1
      """
    ).decode(String.self)
  }

  /// The findings of `seasons verify`.
  func differences() async throws -> String {
    try await session.query("SELECT (seasons.verify()->'differences')::text").one(String.self)
  }
}

extension JSON {
  init(_ value: some Encodable) throws {
    self.init(text: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
  }
}

extension Session {
  /// The answer of a function, as a type of the documents.
  nonisolated(nonsending) func document<Answer: Decodable>(_ statement: Statement) async throws -> Answer {
    let text = try await query(statement).one(String.self)
    return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
  }
}
