import Engine
import Achievements
import Foundation
import Postgres
import TestSupport

/// A world of readers with achievements, in a simulated database; the jobs run when the test says so.
struct Club: Sendable {
  let database: SettledDatabase
  let session: Connection

  init() async throws {
    database = try await SettledDatabase.simulated()
    session = try await database.connect()
    try await session.execute("SELECT settled.set_clock('2031-03-01T10:00:00Z')")
  }

  /// Advances the time by so many seconds.
  func pass(_ seconds: Int64 = 1) async throws {
    try await session.execute("SELECT settled.set_clock(settled.clock() + \(seconds) * interval '1 second')")
  }

  func join(_ users: Int64...) async throws {
    for user in users { try await session.execute("SELECT achievements.create_user(\(user), \("user \(user)"))") }
  }

  @discardableResult
  func define(_ definition: Definition) async throws -> Int64 {
    try await session.query("SELECT achievements.define(\(definition.json))").one(Int64.self)
  }

  func report(
    _ user: Int64, _ metric: String, _ value: Int64, _ mode: String = "add", key: String? = nil, target: String? = nil
  ) async throws {
    let key = key ?? "\(UUID())"
    try await session.execute(
      "SELECT achievements.report_metric(\(user), \(metric), \(value), \(mode), \(key), \(target))")
  }

  func list(_ user: Int64, filter: String = "all", hidden: String = "masked") async throws -> UserList {
    try await read("SELECT achievements.of_user(\(user), filter => \(filter), hidden => \(hidden))::text")
  }

  func check(_ user: Int64) async throws -> Checked {
    try await read("SELECT achievements.check(\(user))::text")
  }

  func read<Answer: Decodable>(_ statement: Statement) async throws -> Answer {
    let text = try await session.query(statement).one(String.self)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Answer.self, from: Data(text.utf8))
  }

  /// `slug date` of what somebody has unlocked, by slug.
  func unlocked(_ user: Int64) async throws -> [String] {
    try await list(user, filter: "unlocked").achievements.map { "\($0.slug) \($0.dateUnlocked ?? "?")" }.sorted()
  }

  /// Runs the live check until nothing is due; returns for how many people.
  @discardableResult
  func runChecks() async throws -> Int { try await run(AchievementCheckJob()) }

  /// Runs the background evaluation to its end; returns how many pieces it had.
  @discardableResult
  func runEvaluation() async throws -> Int { try await run(EvaluationJob()) }

  func run(_ job: some Job) async throws -> Int {
    let pool = database.pool()
    defer { Task { await pool.close() } }
    return try await JobRunner(job, in: database.context(pool)).runAllDue()
  }

  /// `key slug reward` of each event, in the order in which they were written.
  func events() async throws -> [String] {
    _ = try await session.query("SELECT settled.number_events(10000)")
    return try await session.query(
      """
      SELECT concat_ws(' ', key, payload->>'slug', payload->>'reward') FROM settled.event
      WHERE topic = 'achievement.unlocked' ORDER BY position
      """
    ).decode(String.self)
  }

  /// The conditions that hold after any events: nothing but these rows says what was paid, counted and told.
  func contradictions() async throws -> [String] {
    _ = try await session.query("SELECT settled.number_events(10000)")
    return try await session.query(
      """
      SELECT 'points of ' || p.id FROM achievements.person AS p
        WHERE p.earned_points <> (SELECT coalesce(sum(u.reward), 0) FROM achievements.unlock AS u WHERE u.user_id = p.id)
      UNION ALL SELECT 'count of ' || p.id FROM achievements.person AS p
        WHERE p.unlock_count <> (SELECT count(*) FROM achievements.unlock AS u WHERE u.user_id = p.id)
      UNION ALL SELECT 'total of ' || a.id FROM achievements.achievement AS a
        WHERE (SELECT count(*) FROM achievements.unlock AS u WHERE u.achievement_id = a.id)
          <> coalesce((SELECT t.unlocks FROM achievements.total AS t WHERE t.achievement_id = a.id), 0)
          + (SELECT count(*) FROM achievements.uncounted AS c WHERE c.achievement_id = a.id)
      UNION ALL SELECT 'event of ' || u.user_id || ' ' || u.achievement_id FROM achievements.unlock AS u
        WHERE (SELECT count(*) FROM settled.event AS e WHERE e.topic = 'achievement.unlocked' AND e.key = u.user_id::text
          AND (e.payload->>'achievementId')::bigint = u.achievement_id AND (e.payload->>'reward')::bigint = u.reward)
          <> CASE WHEN u.is_announced THEN 1 ELSE 0 END
      UNION ALL SELECT 'events' FROM (SELECT FROM settled.event WHERE topic = 'achievement.unlocked') AS e
        HAVING count(*) <> (SELECT count(*) FROM achievements.unlock WHERE is_announced)
      """
    ).decode(String.self)
  }
}
