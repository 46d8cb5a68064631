import Engine
import TextCoding
import Scheduling
import Postgres
import Cron

/// The JSON of schedules, occurrences and their audit, as ControlAPI describes it.
enum ScheduleReading {
  /// All schedules, or one.
  static func list(_ name: String? = nil, _ session: some Session) async throws -> [JSONValue] {
    try await session.query(
      """
      SELECT \(raw: Schedule.columns), s.paused, s.next_tick_at FROM settled.schedule AS s
      WHERE \(name)::text IS NULL OR s.name = \(name) ORDER BY s.name
      """
    ).decodeAll { row in json(try Schedule(row), paused: try row["paused"], next: try row["next_tick_at"]) }
  }

  private static func json(_ schedule: Schedule, paused: Bool, next: Timestamp?) -> JSONValue {
    let (missed, max, within) = schedule.missedColumns
    return [
      "name": .text(schedule.name), "cron": .optional(schedule.cron), "at": .instant(schedule.at),
      "zone": .text(schedule.zone), "call": .optional(schedule.call), "missed": .text(missed),
      "max": max.map { .integer(Int64($0)) } ?? .null,
      "within": .optional(within.map { TimeSpan.text(.microseconds($0)) }),
      "timeout": .text(TimeSpan.text(schedule.timeout)), "splay": .text(TimeSpan.text(schedule.splay)),
      "paused": .boolean(paused), "nextDue": .instant(next),
    ]
  }

  static func occurrences(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? 50
    guard (1...100_000).contains(limit) else { throw CommandError(.usage, rule: "limit", "limit is 1 to 100000") }
    let statuses = ["planned", "running", "ran", "skipped", "coalesced", "failed"]
    let (name, status) = (call.text("name"), call.text("status"))
    if let status, !statuses.contains(status) {
      throw CommandError(.usage, rule: "status", "status is one of \(statuses.joined(separator: ", "))")
    }
    let from = try await EngineHandlers.instant(call.text("from"), rule: "from", transaction)
    let to = try await EngineHandlers.instant(call.text("to"), rule: "to", transaction)
    try await check(name, from: from, to: to, transaction)
    // As text: one value of jsonb made of a hundred thousand would take longer than all the rest.
    let text = try await transaction.query(
      """
      SELECT '[' || coalesce(string_agg(jsonb_build_object('id', o.id, 'schedule', o.schedule,
        'instant', settled.iso(o.instant), 'status', o.status, 'reason', o.reason,
        'startedAt', settled.iso(o.started_at), 'finishedAt', settled.iso(o.finished_at), 'node', o.node,
        'rows', o.rows)::text, ', ' ORDER BY o.instant DESC, o.id DESC), '') || ']'
      FROM (
        SELECT * FROM settled.occurrence
        WHERE (\(name)::text IS NULL OR schedule = \(name)) AND (\(status)::text IS NULL OR status = \(status))
          AND (\(from)::timestamptz IS NULL OR instant >= \(from)) AND (\(to)::timestamptz IS NULL OR instant < \(to))
        ORDER BY instant DESC, id DESC LIMIT \(limit)
      ) AS o
      """
    ).one(String.self)
    return JSON(text: text)
  }

  static func audit(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let kept = try await keptFrom(transaction)
    let now = try await BusinessClock.read(transaction)
    let from = try await EngineHandlers.instant(call.text("from"), rule: "from", transaction) ?? kept
    let to = try await EngineHandlers.instant(call.text("to"), rule: "to", transaction) ?? now
    try await check(call.text("schedule"), from: from, to: to, transaction)
    let audit = try await ScheduleAudit(
      from: max(from, kept), to: to, schedule: call.text("schedule"), transaction)
    let entries = { (found: ScheduleAudit.Found) in
      JSONValue.array(found.first.map { ["schedule": .text($0.schedule), "instant": .instant($0.instant)] })
    }
    return JSONValue.object([
      ("occurrences", .integer(Int64(audit.occurrences))), ("gaps", entries(audit.gaps)),
      ("doubles", entries(audit.doubles)), ("gapCount", .integer(Int64(audit.gaps.count))),
      ("doubleCount", .integer(Int64(audit.doubles.count))),
    ]).json
  }

  /// A schedule that never was proves nothing, nor does a range without an instant.
  private static func check(
    _ schedule: String?, from: Timestamp?, to: Timestamp?, _ transaction: Transaction
  ) async throws {
    if let from, let to, from > to {
      throw CommandError(.usage, rule: "to", "to (\(to)) must lie after from (\(from))")
    }
    guard let schedule else { return }
    let isKnown = try await transaction.query(
      """
      SELECT EXISTS (SELECT FROM settled.schedule WHERE name = \(schedule))
        OR EXISTS (SELECT FROM settled.schedule_period WHERE schedule = \(schedule))
        OR EXISTS (SELECT FROM settled.occurrence WHERE schedule = \(schedule))
      """
    ).one(Bool.self)
    guard isKnown else {
      throw CommandError(.missing, rule: "schedule", "there is and was no schedule named \(schedule)")
    }
  }

  /// From when on the occurrence log is complete, and stays so until the transaction ends: a dropped partition is gone
  /// from older snapshots too. A transaction that keeps its snapshot asks this first.
  static func keptFrom(_ transaction: Transaction) async throws -> Timestamp {
    try await transaction.execute("LOCK TABLE settled.occurrence IN ACCESS SHARE MODE")
    return try await transaction.query("SELECT kept_from FROM settled.occurrence_history").one(Timestamp.self)
  }
}
