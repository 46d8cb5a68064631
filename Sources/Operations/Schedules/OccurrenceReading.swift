import Engine
import TextCoding
import Scheduling
import Postgres
import Cron

/// The JSON of occurrences, row by row and by day, as ControlAPI describes it.
enum OccurrenceReading {
  private static let statuses = ["planned", "running", "ran", "skipped", "coalesced", "failed"]
  private static let daysMax: Int64 = 400

  /// The requested rows; nil: all.
  struct Filter {
    var schedule: String?
    var status: String?
    var from: Timestamp?
    var to: Timestamp?
    var after: OccurrenceCursor?
  }

  static func list(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? 50
    guard (1...100_000).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit must be between 1 and 100000")
    }
    let status = call.text("status")
    if let status, !statuses.contains(status) {
      throw CommandError(.usage, rule: "status", "status must be one of \(statuses.joined(separator: ", "))")
    }
    let filter = Filter(
      schedule: call.text("name"), status: status,
      from: try await EngineHandlers.instant(call.text("from"), rule: "from", transaction),
      to: try await EngineHandlers.instant(call.text("to"), rule: "to", transaction),
      after: try call.text("after").map(OccurrenceCursor.init))
    try await ScheduleReading.check(filter.schedule, from: filter.from, to: filter.to, transaction)
    return JSON(text: try await transaction.query(page(filter, limit: limit)).one(String.self))
  }

  /// As text: one jsonb value of a hundred thousand rows would take longer than everything else.
  static func page(_ filter: Filter, limit: Int64) -> Statement {
    """
    SELECT '[' || coalesce(string_agg(jsonb_build_object('id', o.id, 'schedule', o.schedule,
      'instant', settled.iso(o.instant), 'status', o.status, 'reason', o.reason,
      'startedAt', settled.iso(o.started_at), 'finishedAt', settled.iso(o.finished_at), 'node', o.node,
      'rows', o.rows, 'dueAt', settled.iso(o.due_at), 'plannedAt', settled.iso(o.planned_at),
      'backfilled', o.backfilled, 'cursor', \(raw: OccurrenceCursor.column))::text, ', '
      ORDER BY o.instant DESC, o.id DESC), '') || ']'
    FROM (
      SELECT * FROM settled.occurrence AS o WHERE \(fragment: condition(filter))
      ORDER BY o.instant DESC, o.id DESC LIMIT \(limit)
    ) AS o
    """
  }

  private static func condition(_ filter: Filter) -> Statement {
    var condition: Statement = "true"
    if let schedule = filter.schedule { condition = "\(fragment: condition) AND o.schedule = \(schedule)" }
    if let status = filter.status { condition = "\(fragment: condition) AND o.status = \(status)" }
    if let from = filter.from { condition = "\(fragment: condition) AND o.instant >= \(from)" }
    if let to = filter.to { condition = "\(fragment: condition) AND o.instant < \(to)" }
    if let after = filter.after {
      condition =
        "\(fragment: condition) AND o.instant <= \(after.instant) AND (o.instant, o.id) < (\(after.instant), \(after.id))"
    }
    return condition
  }

  static func days(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let zone = call.text("zone") ?? ""
    try await ScheduleForm.check(zone: zone, transaction)
    let range = try await InstantRange.read(call, daysMax: daysMax, transaction)
    let schedule = call.text("schedule")
    try await ScheduleReading.check(schedule, from: range.from, to: range.to, transaction)
    let parts = try await ScheduleReading.days(zone, range, transaction)
    let counts = try await transaction.query(counts(range, of: parts, schedule)).decodeAll(as: OccurrenceCounts.init)
    return JSONValue.object([("days", .array(OccurrenceCounts.byDate(counts, parts).map(\.json)))]).json
  }

  /// The occurrences of each part of a day, by its place from 1 on.
  static func counts(_ range: InstantRange, of parts: [LocalDay], _ schedule: String?) -> Statement {
    let starts = parts.map { Timestamp(second: $0.start) }
    let wanted: Statement = schedule.map { "o.schedule = \($0)" } ?? "true"
    return """
      SELECT greatest(1, width_bucket(o.instant, \(starts)))::bigint AS place,
        count(*) FILTER (WHERE o.status = 'ran') AS done, count(*) FILTER (WHERE o.status = 'failed') AS failed,
        count(*) FILTER (WHERE o.status = 'coalesced' OR o.status = 'skipped' AND o.reason LIKE 'missed%') AS missed,
        count(*) FILTER (WHERE o.status = 'skipped' AND o.reason NOT LIKE 'missed%') AS skipped,
        count(*) FILTER (WHERE o.status = 'running') AS running, count(*) FILTER (WHERE o.status = 'planned') AS planned
      FROM settled.occurrence AS o
      WHERE o.instant >= \(range.from) AND o.instant < \(range.to) AND \(fragment: wanted) GROUP BY 1
      """
  }
}
