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
      "builtIn": .boolean(schedule.call == nil),
    ]
  }

  /// The days of a zone that a range has, in whole seconds.
  static func days(_ zone: String, _ range: InstantRange, _ transaction: Transaction) async throws -> [LocalDay] {
    let (low, high) = (range.from.wholeSecond, range.to.nextSecond)
    return try await Zones.offsets(zone, from: low, through: high, transaction).days(from: low, to: high)
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

  /// A schedule that never existed proves nothing, nor does a range without an instant.
  static func check(
    _ schedule: String?, from: Timestamp?, to: Timestamp?, _ transaction: Transaction
  ) async throws {
    if let from, let to, from > to {
      throw CommandError(.usage, rule: "to", "to (\(to)) must be after from (\(from))")
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
      throw CommandError(.missing, rule: "schedule", "no schedule named \(schedule) has ever existed")
    }
  }

  /// The instant from which the occurrence log is complete, and stays so until the transaction ends: a dropped
  /// partition is gone from older snapshots too. A transaction that keeps its snapshot reads this first.
  static func keptFrom(_ transaction: Transaction) async throws -> Timestamp {
    try await transaction.execute("LOCK TABLE settled.occurrence IN ACCESS SHARE MODE")
    return try await transaction.query("SELECT kept_from FROM settled.occurrence_history").one(Timestamp.self)
  }
}
