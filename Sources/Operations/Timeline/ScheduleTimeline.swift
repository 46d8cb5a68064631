import Cron
import Engine
import Postgres
import Scheduling

/// The schedules on the timeline: ticks with a row, and future ticks.
enum ScheduleTimeline {
  static let sources = [
    TimelineSource(.schedules) { occurrences($0, builtIn: false) },
    TimelineSource(.jobs) { occurrences($0, builtIn: true) },
  ]

  /// The function of a removed schedule is unknown: it counts as an operator's.
  static func occurrences(_ range: InstantRange, builtIn: Bool) -> Statement {
    """
    SELECT o.instant AS at, o.finished_at AS until, o.schedule AS job, NULL::text AS key, 1::bigint AS count,
      NULL::bigint AS pence,
      CASE WHEN o.status = 'ran' THEN 'done' WHEN o.status = 'failed' THEN 'failed'
        WHEN o.status IN ('planned', 'running') THEN 'pending'
        WHEN o.status = 'coalesced' OR o.reason LIKE 'missed%' THEN 'missed' ELSE 'skipped' END AS outcome,
      (1e3 * extract(epoch FROM o.started_at - o.due_at))::bigint AS lateness, o.reason AS note
    FROM settled.occurrence AS o LEFT JOIN settled.schedule AS s ON s.name = o.schedule
    WHERE o.instant >= \(range.from) AND o.instant < \(range.to)
      AND (s.name IS NOT NULL AND s.call IS NULL) = \(builtIn)
    """
  }

  /// A schedule with future ticks.
  struct Coming: Sendable {
    let schedule: Schedule
    let next: Timestamp

    init(_ row: Row) throws(PostgresError) {
      schedule = try Schedule(row)
      next = try row["next_tick_at"]
    }

    var lane: TimelineSource.Lane { schedule.call == nil ? .jobs : .schedules }
  }

  /// The most schedules that are read; those that tick first count.
  private static let schedulesMax: Int64 = 1000

  static func coming(before end: Timestamp) -> Statement {
    """
    SELECT \(raw: Schedule.columns), s.next_tick_at FROM settled.schedule AS s
    WHERE NOT s.paused AND s.next_tick_at < \(end) ORDER BY s.next_tick_at LIMIT \(schedulesMax)
    """
  }

  /// The future ticks of all schedules, or their number in each `bin` of seconds.
  ///
  /// More than `limit` means that there are too many, and not all are returned.
  static func ticks(
    _ range: InstantRange, by bin: Int64?, limit: Int, _ transaction: Transaction
  ) async throws -> [TimelineMark] {
    var (marks, zones) = ([TimelineMark](), [String: ZoneOffsets]())
    for coming in try await transaction.query(coming(before: range.to)).decodeAll(as: Coming.init) {
      let low = max(range.from, coming.next).nextSecond
      let high = range.to.nextSecond
      guard marks.count <= limit else { break }
      guard low < high else { continue }
      try Task.checkCancellation()
      let zone = coming.schedule.zone
      let offsets = try await known(zone, &zones, from: range.from.wholeSecond, through: high, transaction)
      marks += try Self.marks(of: coming, offsets, from: low, to: high, by: bin, limit: limit)
    }
    return marks
  }

  private static func known(
    _ zone: String, _ zones: inout [String: ZoneOffsets], from: Int64, through: Int64, _ transaction: Transaction
  ) async throws -> ZoneOffsets {
    if let offsets = zones[zone] { return offsets }
    let offsets = try await Zones.offsets(zone, from: from, through: through, transaction)
    zones[zone] = offsets
    return offsets
  }

  private static func marks(
    of coming: Coming, _ offsets: ZoneOffsets, from low: Int64, to high: Int64, by bin: Int64?, limit: Int
  ) throws -> [TimelineMark] {
    let (timing, name) = (try coming.schedule.timing(), coming.schedule.name)
    guard let bin, case .cron(let cron) = timing else {
      return Ticks(timing, offsets).first(limit + 1, after: low - 1, through: high - 1).map { tick in
        TimelineMark(
          coming.lane, pending: name, at: Timestamp(second: tick.instant), count: 1, note: tick.note?.rawValue)
      }
    }
    return stride(from: low - low % bin, to: high, by: Int64.Stride(bin)).compactMap { start in
      let count = offsets.count(cron, from: max(low, start), to: min(high, start + bin)).ticks
      guard count > 0 else { return nil }
      return TimelineMark(coming.lane, pending: name, at: Timestamp(second: start), count: count)
    }
  }
}
