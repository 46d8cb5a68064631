import Engine
import TextCoding
import Scheduling
import Postgres
import Cron

/// Past ticks of the present definition that have no row: they are added as runs.
enum Backfill {
  private static let ticksMax = 100_000

  static func run(_ call: CommandCall, gate: ClaimGate, _ transaction: Transaction) async throws -> JSONValue {
    let now = try await gate.forChange(transaction)
    let (schedule, _) = try await ScheduleHandlers.known(call, transaction)
    let missing = try await Self.missing(of: schedule, call, now: now, transaction)
    _ = try await transaction.pipeline(
      PlanStep.insert(missing.map { (schedule, PlannedTick($0, .planned)) }, now: now, backfilled: true))
    return answer(missing)
  }

  /// The ticks that a run would add. It writes nothing and locks nothing.
  static func preview(_ call: CommandCall, _ transaction: Transaction) async throws -> JSONValue {
    let name = call.text("name") ?? ""
    guard let schedule = try await Schedule.read(name, transaction) else { throw ScheduleHandlers.unknown(name) }
    return answer(
      try await missing(of: schedule, call, now: try await BusinessClock.read(transaction), transaction))
  }

  private static func answer(_ missing: [Tick]) -> JSONValue {
    .array(missing.map { ["instant": .instant(Timestamp(second: $0.instant)), "status": "planned"] })
  }

  private static func missing(
    of schedule: Schedule, _ call: CommandCall, now: Timestamp, _ transaction: Transaction
  ) async throws -> [Tick] {
    let from = try await EngineHandlers.instant(call.text("from"), rule: "from", transaction) ?? now
    let to = try await EngineHandlers.instant(call.text("to"), rule: "to", transaction) ?? now
    let retained = try await transaction.query(
      "SELECT \(now)::timestamptz - settled.setting_span('settled.occurrence_retention')"
    ).one(Timestamp.self)
    let kept = max(retained, try await ScheduleReading.keptFrom(transaction))
    guard from >= kept else {
      throw CommandError(.refused, rule: "retention", "occurrences before \(kept) are not kept")
    }
    guard from < to, to <= now else {
      throw CommandError(.usage, rule: "to", "to must be after from, and not in the future")
    }
    let timing = try schedule.timing()
    let (after, through) = (from.beforeSecond, to.beforeSecond)
    let offsets = try await Zones.offsets(schedule.zone, from: after, through: max(after, through), transaction)
    let cursor = try await transaction.query("SELECT cursor_at FROM settled.schedule WHERE name = \(schedule.name)")
      .one(Timestamp.self)
    let ticks = Ticks(timing, offsets).first(ticksMax + 1, after: after, through: min(through, cursor.wholeSecond))
    guard ticks.count <= ticksMax else {
      throw CommandError(.refused, rule: "limit", "more than \(ticksMax) ticks: use a shorter range")
    }
    let present = try await transaction.query(
      """
      SELECT instant FROM settled.occurrence
      WHERE schedule = \(schedule.name) AND instant >= \(from) AND instant < \(to)
      """
    ).decode(Timestamp.self)
    let known = Set(present.map(\.wholeSecond))
    return ticks.filter { !known.contains($0.instant) }
  }
}

extension Timestamp {
  /// The last whole second before this instant.
  var beforeSecond: Int64 { Timestamp(microseconds: microseconds - 1).wholeSecond }
}
