import Engine
package import Postgres
package import Cron

/// Plans schedules whose rows are locked: due ticks become rows of the ledger, and the cursors advance.
///
/// Set by set: many schedules that tick on one second cost as many statements as one. Source:
/// Engine.docc/LifeOfATick.md, "Planning".
package enum PlanStep {
  /// A schedule, and the instant up to which its ticks have rows.
  struct Cursor {
    let schedule: Schedule
    let at: Timestamp

    /// A row of `lock`.
    init(_ row: Row) throws(PostgresError) {
      schedule = try Schedule(row)
      at = try row["cursor_at"]
    }
  }

  /// Locks the schedules (here `s`) that a condition names, and reads them as they are then: `Cursor`.
  static func lock(_ condition: Statement) -> Statement {
    "SELECT \(raw: Schedule.columns), s.cursor_at FROM settled.schedule AS s WHERE \(fragment: condition)"
  }

  /// Locks and reads one schedule; none if the name does not exist.
  static func lock(named name: String, _ transaction: Transaction) async throws -> [Cursor] {
    try await transaction.query(lock("s.name = \(name) FOR NO KEY UPDATE")).decodeAll(as: Cursor.init)
  }

  /// The writes for due ticks.
  struct Outcome {
    let writes: [Statement]
    /// Whether this plans all due ticks, not only a part.
    let isComplete: Bool
    /// The schedules with ticks to run.
    let toRun: [Schedule]
  }

  /// Plans up to `now`, or a part of it if there are many ticks; returns whether all were planned.
  ///
  /// `known` are the zones' offsets to use in place of the database's present ones.
  static func take(
    _ cursors: [Cursor], now: Timestamp, by known: ZoneOffsets? = nil, _ transaction: Transaction
  ) async throws -> Bool {
    let outcome = try await plan(cursors, now: now, by: known, transaction)
    _ = try await transaction.pipeline(outcome.writes)
    return outcome.isComplete
  }

  /// The same without writing.
  static func plan(
    _ cursors: [Cursor], now: Timestamp, by known: ZoneOffsets? = nil, _ transaction: Transaction
  ) async throws -> Outcome {
    var (offsets, runs) = try await read(cursors, now: now, transaction)
    if let known { offsets = offsets.mapValues { $0.overlaid(by: known) } }
    var planned: [(schedule: Schedule, tick: PlannedTick)] = []
    var advances: [(name: String, cursor: Int64, next: Int64?)] = []
    for each in cursors {
      let schedule = each.schedule
      let timing = try schedule.timing()
      let plan = Plan(
        Ticks(timing, offsets[schedule.zone] ?? .utc), missed: schedule.missed, after: each.at.wholeSecond,
        now: now.microseconds, runs: runs[schedule.name] ?? [])
      planned += plan.ticks.map { (schedule, $0) }
      var next = plan.next
      if next == nil { next = try await Zones.next(timing, zone: schedule.zone, after: plan.cursor, transaction) }
      advances.append((schedule.name, plan.cursor, next))
    }
    let advance: Statement = """
      UPDATE settled.schedule AS s SET cursor_at = a.cursor, next_tick_at = a.next
      FROM unnest(\(advances.map(\.name)), \(advances.map { Timestamp(second: $0.cursor) }),
        \(advances.map { $0.next.map(Timestamp.init(second:)) })) AS a(name, cursor, next)
      WHERE s.name = a.name
      """
    return Outcome(
      writes: insert(planned, now: now) + [advance], isComplete: advances.allSatisfy { $0.cursor >= now.wholeSecond },
      toRun: planned.filter { $0.tick.status == .planned }.map(\.schedule))
  }

  /// The offsets of each needed zone from the longest unplanned tick on, and the runs that ticks may overlap with.
  private static func read(
    _ cursors: [Cursor], now: Timestamp, _ transaction: Transaction
  ) async throws -> (offsets: [String: ZoneOffsets], runs: [String: [Plan.Run]]) {
    let spans = Dictionary(grouping: cursors, by: \.schedule.zone).map { zone, cursors in
      let (first, last) = (cursors.map(\.at).min() ?? now, cursors.map(\.at).max() ?? now)
      return (zone: zone, from: first.wholeSecond, through: max(last, now).wholeSecond + Zones.horizons[0])
    }
    let replies = try await transaction.pipeline(
      [runs(since: cursors)] + spans.map { Zones.statement($0.zone, from: $0.from, through: $0.through) })
    var offsets: [String: ZoneOffsets] = [:]
    for (span, rows) in zip(spans, replies.dropFirst()) {
      offsets[span.zone] = try Zones.offsets(rows, through: span.through)
    }
    return (offsets, try runs(replies[0]))
  }

  /// The runs that are running or ran after the cursors: ticks may overlap with them. An operator's tick that waits for
  /// a session is not running.
  private static func runs(since cursors: [Cursor]) -> Statement {
    """
    SELECT c.name, r.started_at, r.finished_at
    FROM unnest(\(cursors.map(\.schedule.name)), \(cursors.map(\.at))) AS c(name, cursor), LATERAL (
      SELECT r.started_at, NULL::timestamptz AS finished_at FROM settled.run AS r
      WHERE r.schedule = c.name AND r.claimed_at IS NOT NULL AND (r.backend IS NOT NULL OR r.is_own)
      UNION ALL
      SELECT o.started_at, o.finished_at FROM settled.occurrence AS o
      WHERE o.schedule = c.name AND o.finished_at > c.cursor AND o.started_at IS NOT NULL
    ) AS r
    """
  }

  /// Ticks become rows, and ticks to run become runs; a row that already exists because of a backfill is kept.
  package static func insert(
    _ ticks: [(schedule: Schedule, tick: PlannedTick)], now: Timestamp, backfilled: Bool = false
  ) -> [Statement] {
    guard !ticks.isEmpty else { return [] }
    let due = ticks.map { schedule, tick in
      let splay = Splay.delay(of: schedule.name, within: schedule.splay)
      return backfilled ? now : Timestamp(microseconds: tick.tick.instant * 1_000_000 + splay.microseconds)
    }
    let insert: Statement = """
      INSERT INTO settled.occurrence
        (schedule, instant, status, reason, backfilled, planned_at, due_at, finished_at)
      SELECT t.schedule, t.instant, t.status, nullif(t.reason, ''), \(backfilled), \(now), t.due,
        CASE WHEN t.status <> 'planned' THEN \(now)::timestamptz END
      FROM unnest(\(ticks.map(\.schedule.name)), \(ticks.map { Timestamp(second: $0.tick.tick.instant) }),
        \(ticks.map(\.tick.status.rawValue)), \(ticks.map { $0.tick.reason ?? "" }), \(due))
        AS t(schedule, instant, status, reason, due)
      ORDER BY t.instant
      ON CONFLICT (schedule, instant) DO NOTHING
      """
    return queued(insert, of: Set(ticks.map(\.schedule.name)).sorted(), isEarlier: backfilled)
  }

  /// The planned occurrences of an insertion become runs. The rows of its schedules are locked.
  ///
  /// If no run of a schedule is the next to start, the earliest becomes the next. A new run before the planned ones
  /// replaces the former next one.
  package static func queued(_ insert: Statement, of names: [String], isEarlier: Bool = false) -> [Statement] {
    let isFirst: Statement = """
      a.instant = min(a.instant) OVER (PARTITION BY a.schedule)
        AND NOT EXISTS (SELECT FROM settled.run AS f WHERE f.schedule = a.schedule AND f.is_first)
      """
    let queue: Statement = """
      WITH added AS (\(fragment: insert) RETURNING schedule, instant, due_at, status)
      INSERT INTO settled.run (schedule, instant, due_at, is_own, is_first)
      SELECT a.schedule, a.instant, a.due_at, s.call IS NULL, \(fragment: isEarlier ? "false" : isFirst)
      FROM added AS a JOIN settled.schedule AS s ON s.name = a.schedule WHERE a.status = 'planned'
      """
    guard isEarlier else { return [queue] }
    let yield: Statement = """
      UPDATE settled.run SET is_first = false WHERE schedule = ANY(\(names)) AND is_first AND claimed_at IS NULL
      """
    return [yield, queue, "SELECT settled.promote_runs(\(names))"]
  }

  /// A run without a tick, which the audit recognizes by its mark. Its instant is unused, even if the clock is stopped.
  package static func runNow(_ name: String, at now: Timestamp, _ transaction: Transaction) async throws {
    let insert: Statement = """
      INSERT INTO settled.occurrence (schedule, instant, status, backfilled, planned_at, due_at)
      SELECT \(name), greatest(\(now)::timestamptz, max(instant) + interval '1 microsecond'), 'planned', true, \(now), \(now)
      FROM settled.occurrence WHERE schedule = \(name) AND instant >= \(now)
      """
    _ = try await transaction.pipeline(queued(insert, of: [name]))
  }

  private static func runs(_ rows: Rows) throws(PostgresError) -> [String: [Plan.Run]] {
    var runs: [String: [Plan.Run]] = [:]
    for (name, start, end) in try rows.decode(String.self, Timestamp.self, Timestamp?.self) {
      runs[name, default: []].append(Plan.Run(start: start.microseconds, end: end?.microseconds))
    }
    return runs
  }
}
