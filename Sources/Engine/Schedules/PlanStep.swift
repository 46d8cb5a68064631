import Postgres
import Schedules

/// One step of planning for one schedule, whose row the caller has locked.
enum PlanStep {
  /// Plans up to `now`, or a part of it where there is much; yields whether all was planned.
  ///
  /// `known` are the zone's offsets where the database's present word is not to be taken.
  @discardableResult
  static func take(
    _ name: String, now: Timestamp, by known: ZoneOffsets? = nil, _ transaction: Transaction
  ) async throws -> Bool {
    let (fields, cursor) = try await read(name, transaction)
    let schedule = Schedule(fields)
    let timing = try schedule.timing()
    var offsets = try await Zones.offsets(
      schedule.zone, from: cursor.wholeSecond, through: max(cursor, now).wholeSecond + Zones.horizons[0], transaction)
    if let known { offsets = offsets.overlaid(by: known) }
    let runs = try await transaction.query(
      """
      SELECT started_at, finished_at FROM settled.occurrence
      WHERE schedule = \(name) AND started_at IS NOT NULL
        AND (status = 'running' OR instant > \(now)::timestamptz - interval '1 day' AND finished_at > \(cursor))
      """
    ).decode(Timestamp.self, Timestamp?.self)
    let plan = Plan(
      Ticks(timing, offsets), missed: schedule.missed, after: cursor.wholeSecond, now: now.microseconds,
      runs: runs.map { Plan.Run(start: $0.microseconds, end: $1?.microseconds) })
    try await insert(plan.ticks, of: schedule, now: now, transaction)
    var next = plan.next
    if next == nil { next = try await Zones.next(timing, zone: schedule.zone, after: plan.cursor, transaction) }
    try await transaction.execute(
      """
      UPDATE settled.schedule SET cursor_at = \(Timestamp(second: plan.cursor)),
        next_tick_at = \(next.map(Timestamp.init(second:)))
      WHERE name = \(name)
      """)
    return plan.cursor >= now.wholeSecond
  }

  private static func read(
    _ name: String, _ transaction: Transaction
  ) async throws -> (Schedule.Fields, Timestamp) {
    let row = try await transaction.query(
      "SELECT \(raw: Schedule.columns), s.cursor_at FROM settled.schedule AS s WHERE s.name = \(name)"
    ).one(
      String.self, String?.self, Timestamp?.self, String.self, String?.self, String.self, Int32?.self, Int64?.self,
      Int64.self, Int64.self, Timestamp.self)
    return ((row.0, row.1, row.2, row.3, row.4, row.5, row.6, row.7, row.8, row.9), row.10)
  }

  /// Ticks become rows; a row that is there already, by a backfill, stays.
  static func insert(
    _ ticks: [PlannedTick], of schedule: Schedule, now: Timestamp, backfilled: Bool = false, _ transaction: Transaction
  ) async throws {
    guard !ticks.isEmpty else { return }
    let splay = Splay.delay(of: schedule.name, within: schedule.splay).microseconds
    try await transaction.execute(
      """
      INSERT INTO settled.occurrence
        (schedule, instant, status, reason, backfilled, planned_at, due_at, finished_at)
      SELECT \(schedule.name), t.instant, t.status, nullif(t.reason, ''), \(backfilled), \(now),
        CASE WHEN \(backfilled) THEN \(now)::timestamptz
          ELSE t.instant + \(splay)::bigint * interval '1 microsecond' END,
        CASE WHEN t.status <> 'planned' THEN \(now)::timestamptz END
      FROM unnest(\(ticks.map { Timestamp(second: $0.tick.instant) }), \(ticks.map(\.status.rawValue)),
        \(ticks.map { $0.reason ?? "" })) AS t(instant, status, reason)
      ORDER BY t.instant
      ON CONFLICT (schedule, instant) DO NOTHING
      """)
  }
}
