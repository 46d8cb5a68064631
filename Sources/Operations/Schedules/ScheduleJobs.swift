import Engine
import TextCoding
package import Scheduling
package import Postgres
import Cron

/// The daemon's own schedules in the form of jobs: listed, run, paused.
package struct ScheduleJobs: Sendable {
  package let names: [String]

  package init(_ builtIn: [BuiltInSchedule]) {
    names = builtIn.map(\.schedule.name)
  }

  /// One object for each installed schedule, like the jobs of `status`.
  func jobs(_ names: [String], _ session: some Session) async throws -> [JSONValue] {
    try await session.query(Self.statement(names)).decodeAll(as: Self.job)
  }

  private static func job(_ row: Row) throws(PostgresError) -> JSONValue {
    let (status, reason): (String?, String?) = (try row["status"], try row["reason"])
    let failure = status == "failed" ? reason ?? "" : nil
    let (isRunning, isPaused): (Bool, Bool) = (try row["running"], try row["paused"])
    let (done, total): (Int64?, Int64?) = (try row["done"], try row["total"])
    var progress = JSONValue.null
    if let done, let total { progress = ["done": .integer(done), "total": .integer(total)] }
    return json(
      name: try row["name"], state: isRunning ? "running" : isPaused ? "paused" : "idle",
      nextDue: try row["next_tick_at"], overdue: try row["overdue"], lastRunAt: try row["finished_at"],
      lastOutcome: failure.map { "failed: \($0)" } ?? status, failing: failure == nil ? 0 : 1, progress: progress)
  }

  /// The answer while the database is unreachable.
  static func unknown(_ name: String) -> JSONValue { json(name: name) }

  private static func json(
    name: String, state: String = "idle", nextDue: Timestamp? = nil, overdue: Int64 = 0, lastRunAt: Timestamp? = nil,
    lastOutcome: String? = nil, failing: Int64 = 0, progress: JSONValue = .null
  ) -> JSONValue {
    [
      "name": .text(name), "state": .text(state), "nextDue": .instant(nextDue), "overdue": .integer(overdue),
      "lastRunAt": .instant(lastRunAt), "lastOutcome": .optional(lastOutcome), "failing": .integer(failing),
      "quarantined": 0, "progress": progress,
    ]
  }

  static func statement(_ names: [String]) -> Statement {
    """
    SELECT s.name, s.paused, s.next_tick_at,
      (SELECT count(*) FROM settled.run AS r
       WHERE r.schedule = s.name AND r.claimed_at IS NULL AND r.due_at <= settled.clock()) AS overdue,
      EXISTS (SELECT FROM settled.run AS r WHERE r.schedule = s.name AND r.claimed_at IS NOT NULL) AS running,
      l.finished_at, l.status, l.reason, p.done, p.total
    FROM settled.schedule AS s LEFT JOIN LATERAL (
      SELECT o.finished_at, o.status, o.reason FROM settled.occurrence AS o
      WHERE o.schedule = s.name AND o.status IN ('ran', 'failed') ORDER BY o.instant DESC LIMIT 1) AS l ON true
    LEFT JOIN LATERAL (\(raw: RunProgress.row)) AS p ON true
    WHERE s.name = ANY(\(names)) ORDER BY array_position(\(names)::text[], s.name)
    """
  }

  /// Plans a run now, unless one is already planned or running. A paused schedule does not run.
  package func run(_ name: String, at now: Timestamp, _ transaction: Transaction) async throws {
    _ = try await lock(name, transaction)
    let (isPaused, isUnderWay) = try await transaction.query(
      """
      SELECT paused, EXISTS (SELECT FROM settled.run WHERE schedule = \(name))
      FROM settled.schedule WHERE name = \(name)
      """
    ).one(Bool.self, Bool.self)
    if isPaused { throw CommandError(.refused, rule: "status", "the \(name) job is paused") }
    if !isUnderWay { try await PlanStep.runNow(name, at: now, transaction) }
  }

  private func lock(_ name: String, _ transaction: Transaction) async throws -> Schedule {
    guard let schedule = try await ScheduleDefinitions.lock(name, transaction) else {
      throw CommandError(.unavailable, rule: "schedule", "no daemon has set up the \(name) schedule yet")
    }
    return schedule
  }

  /// Stops its ticks, or resumes them; returns whether it was paused.
  func pause(_ name: String, _ paused: Bool, at now: Timestamp, _ transaction: Transaction) async throws -> Bool {
    let schedule = try await lock(name, transaction)
    let before = try await transaction.query("SELECT paused FROM settled.schedule WHERE name = \(name)").one(Bool.self)
    try await ScheduleDefinitions.pause(schedule, paused, now: now, transaction)
    return before
  }
}
