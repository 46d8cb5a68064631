import Engine
import CheckIns
import Postgres
import TestSupport

/// A world of people who check in, in a simulated database; the reset runs when the test says so.
struct Habit: Sendable {
  static let good = """
    {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0,
     "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """

  let database: SettledDatabase
  let session: Connection

  /// - Parameter start: may lie before the day on which the database was made.
  init(at start: String) async throws {
    database = try await SettledDatabase.prepared("check_ins") { owner in
      // A simulated clock is never set backwards; this one begins early.
      try await owner.execute("UPDATE settled.installation SET clock_base = '1950-01-01Z'")
    }
    session = try await database.connect()
    try await clock(start)
  }

  func clock(_ instant: String) async throws {
    try await session.execute("SELECT settled.set_clock(\(instant)::text::timestamptz)")
  }

  func onboard(_ user: String, _ zone: String?) async throws {
    _ = try await session.query("SELECT checkins.onboard(\(user), \(zone))")
  }

  /// Onboards somebody in a zone that the server then knows no more: all that it has bears another name.
  func forget(_ zone: String, of user: String) async throws {
    try await onboard(user, zone)
    try await session.script(
      """
      INSERT INTO settled.time_zone VALUES ('Mars/Base');
      INSERT INTO checkins.zone SELECT 'Mars/Base', next_date, next_at FROM checkins.zone WHERE name = '\(zone)';
      UPDATE checkins.profile SET time_zone = 'Mars/Base' WHERE time_zone = '\(zone)';
      UPDATE checkins.streak SET zone = 'Mars/Base' WHERE zone = '\(zone)';
      DELETE FROM checkins.zone WHERE name = '\(zone)';
      """)
  }

  func move(_ user: String, to zone: String) async throws {
    _ = try await session.query(
      "SELECT checkins.update_profile(\(user), jsonb_build_object('timezone', \(zone)::text))")
  }

  /// The date that it counts for.
  @discardableResult
  func submit(_ user: String) async throws -> String {
    try await session.query("SELECT checkins.submit(\(user), \(JSON(text: Self.good)))->'today'->>'date'")
      .one(String.self)
  }

  /// `current longest last`.
  func streak(_ user: String) async throws -> String {
    try await session.query(
      """
      SELECT concat_ws(' ', s->>'current', s->>'longest', s->>'lastDate') FROM checkins.summary(\(user)) AS t,
        LATERAL (SELECT t->'streak' AS s) AS streak
      """
    ).one(String.self)
  }

  func summary(_ user: String) async throws -> String {
    try await session.query("SELECT checkins.summary(\(user))::text").one(String.self)
  }

  /// Runs the daily reset until nothing is due; returns how many days it closed.
  @discardableResult
  func reset() async throws -> Int {
    let pool = database.pool()
    defer { Task { await pool.close() } }
    return try await JobRunner(DailyResetJob(), in: database.context(pool)).runAllDue()
  }

  /// `date checkedIn streaksEnded` of each closed day of a zone, oldest first.
  func days(_ zone: String) async throws -> [String] {
    try await session.query(
      "SELECT concat_ws(' ', date, checked_in, streaks_ended) FROM checkins.day WHERE zone = \(zone) ORDER BY date"
    ).decode(String.self)
  }

  /// The closed days, and the order of their events, against the calendar.
  func checkDays() async throws {
    print(try await Oracle.run("check_ins.py", ["closed", database.url(.owner)]), terminator: "")
  }
}
