import Postgres
import Schedules

/// Proves the ledger: every tick of every definition, while it was valid, has its row, and no row is without a tick.
struct ScheduleAudit {
  struct Entry: Sendable {
    let schedule: String
    let instant: Timestamp
  }

  private(set) var occurrences = 0
  private(set) var gaps: [Entry] = []
  /// Rows that no definition accounts for; the same tick twice cannot be, by the table's key.
  private(set) var doubles: [Entry] = []

  private struct Period {
    let schedule: String
    let timing: Timing
    let zone: String
    let from: Int64
    let through: Int64
    let offsets: ZoneOffsets?
  }

  /// Ticks at and after `from`, before `to`, of one schedule or of all.
  init(from: Timestamp, to: Timestamp, schedule: String?, _ transaction: Transaction) async throws {
    let periods = try await Self.periods(from: from, to: to, schedule: schedule, transaction)
    let rows = try await transaction.query(
      """
      SELECT schedule, instant, backfilled FROM settled.occurrence
      WHERE instant >= \(from) AND instant < \(to) AND (\(schedule)::text IS NULL OR schedule = \(schedule))
      """
    ).decode(String.self, Timestamp.self, Bool.self)
    occurrences = rows.count
    var kept: [String: [Int64: Bool]] = [:]
    for (schedule, instant, backfilled) in rows { kept[schedule, default: [:]][instant.wholeSecond] = backfilled }
    for period in periods {
      var offsets = try await Zones.offsets(period.zone, from: period.from, through: period.through, transaction)
      if let known = period.offsets { offsets = offsets.overlaid(by: known) }
      let ticks = Ticks(period.timing, offsets)
      for tick in ticks.first(.max, after: period.from, through: period.through)
      where kept[period.schedule]?.removeValue(forKey: tick.instant) == nil {
        gaps.append(Entry(schedule: period.schedule, instant: Timestamp(second: tick.instant)))
      }
    }
    for (schedule, rest) in kept {
      for (instant, backfilled) in rest where !backfilled {
        doubles.append(Entry(schedule: schedule, instant: Timestamp(second: instant)))
      }
    }
    doubles.sort { ($0.schedule, $0.instant) < ($1.schedule, $1.instant) }
  }

  /// The parts of periods that lie in the range, as far as they have been planned.
  private static func periods(
    from: Timestamp, to: Timestamp, schedule: String?, _ transaction: Transaction
  ) async throws -> [Period] {
    let rows = try await transaction.query(
      """
      SELECT p.schedule, p.cron, p.at, p.zone, p.valid_from, coalesce(p.valid_to, s.cursor_at), p.offsets::text
      FROM settled.schedule_period AS p LEFT JOIN settled.schedule AS s ON s.name = p.schedule
      WHERE p.valid_from < \(to) AND coalesce(p.valid_to, s.cursor_at) >= \(from)
        AND (\(schedule)::text IS NULL OR p.schedule = \(schedule))
      ORDER BY p.schedule, p.valid_from
      """
    ).decode(
      String.self, String?.self, Timestamp?.self, String.self, Timestamp.self, Timestamp.self, String?.self)
    return try rows.map { row in
      let through = min(row.5.wholeSecond, to.advanced(by: .microseconds(-1))?.wholeSecond ?? .min)
      return Period(
        schedule: row.0, timing: try Schedule.timing(cron: row.1, at: row.2), zone: row.3,
        from: max(row.4.wholeSecond, from.advanced(by: .microseconds(-1))?.wholeSecond ?? .max), through: through,
        offsets: row.6.flatMap { ZoneFuture.offsets($0, end: through + 1) })
    }
  }
}
