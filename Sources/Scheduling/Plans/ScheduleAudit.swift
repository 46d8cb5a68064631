package import Postgres
import Cron

/// Proves the occurrence log: every tick of every definition, while it was valid, has a row, and every row has a tick.
///
/// It walks schedule by schedule through ticks and rows in parallel, in the order of their instants, with a page of
/// each in memory.
package struct ScheduleAudit {
  package struct Entry: Sendable {
    package let schedule: String
    package let instant: Timestamp
  }

  /// The first few of a kind, and their number.
  package struct Found: Sendable {
    package private(set) var first: [Entry] = []
    package private(set) var count = 0

    mutating func add(_ schedule: String, _ second: Int64) {
      count += 1
      if first.count < ScheduleAudit.shownMax {
        first.append(Entry(schedule: schedule, instant: Timestamp(second: second)))
      }
    }
  }

  /// How many gaps and how many duplicates are shown.
  static let shownMax = 1000
  private static let page = 10_000

  package private(set) var occurrences = 0
  package private(set) var gaps = Found()
  /// Rows that no definition accounts for; the table's key excludes the same tick twice.
  package private(set) var doubles = Found()

  private struct Period {
    let schedule: String
    let timing: Timing
    let zone: String
    let from: Int64
    let through: Int64
    let offsets: ZoneOffsets?

    /// The part of a row of `periods` that lies in a range.
    init(_ row: Row, from: Timestamp, to: Timestamp) throws {
      let (validFrom, validTo): (Timestamp, Timestamp) = (try row["valid_from"], try row["valid_to"])
      let through = min(validTo.wholeSecond, to.advanced(by: .microseconds(-1))?.wholeSecond ?? .min)
      schedule = try row["schedule"]
      timing = try Schedule.timing(cron: try row["cron"], at: try row["at"])
      zone = try row["zone"]
      self.from = max(validFrom.wholeSecond, from.advanced(by: .microseconds(-1))?.wholeSecond ?? .max)
      self.through = through
      offsets = (try row["offsets"] as String?).flatMap { ZoneFuture.offsets($0, end: through + 1) }
    }
  }

  /// The rows of one schedule in the order of their instants, a page at a time.
  private struct Rows {
    let schedule: String
    let to: Timestamp
    var from: Timestamp
    var page: ArraySlice<(second: Int64, isBackfilled: Bool)> = []
    var isOver = false
    var count = 0

    /// The next one, without consuming it; nil at the end.
    mutating func next(_ transaction: Transaction) async throws -> (second: Int64, isBackfilled: Bool)? {
      if page.isEmpty, !isOver {
        let rows = try await transaction.query(
          """
          SELECT instant, backfilled FROM settled.occurrence
          WHERE schedule = \(schedule) AND instant >= \(from) AND instant < \(to)
          ORDER BY instant LIMIT \(Int64(ScheduleAudit.page))
          """
        ).decode(Timestamp.self, Bool.self)
        isOver = rows.count < ScheduleAudit.page
        count += rows.count
        if let last = rows.last { from = Timestamp(microseconds: last.0.microseconds + 1) }
        page = ArraySlice(rows.map { (second: $0.0.wholeSecond, isBackfilled: $0.1) })
      }
      return page.first
    }
  }

  /// Ticks at and after `from`, before `to`, of one schedule or of all.
  package init(from: Timestamp, to: Timestamp, schedule: String?, _ transaction: Transaction) async throws {
    let periods = try await Self.periods(from: from, to: to, schedule: schedule, transaction)
    let bySchedule = Dictionary(grouping: periods, by: \.schedule)
    let recorded = try await transaction.query(Self.names(schedule)).decode(String.self)
    for name in Set(recorded).union(bySchedule.keys).sorted() {
      var rows = Rows(schedule: name, to: to, from: from)
      for period in bySchedule[name] ?? [] { try await walk(period, &rows, transaction) }
      while let row = try await rows.next(transaction) { pass(row, &rows) }
      occurrences += rows.count
    }
  }

  /// Compares the ticks of a period with the rows up to its end.
  private mutating func walk(_ period: Period, _ rows: inout Rows, _ transaction: Transaction) async throws {
    var offsets = try await Zones.offsets(period.zone, from: period.from, through: period.through, transaction)
    if let known = period.offsets { offsets = offsets.overlaid(by: known) }
    let ticks = Ticks(period.timing, offsets)
    var after = period.from
    while true {
      let page = ticks.first(Self.page, after: after, through: period.through)
      for tick in page {
        while let row = try await rows.next(transaction), row.second < tick.instant { pass(row, &rows) }
        if let row = try await rows.next(transaction), row.second == tick.instant {
          rows.page.removeFirst()
        } else {
          gaps.add(period.schedule, tick.instant)
        }
      }
      guard page.count == Self.page, let last = page.last else { return }
      after = last.instant
    }
  }

  /// Skips a row that no tick accounts for.
  private mutating func pass(_ row: (second: Int64, isBackfilled: Bool), _ rows: inout Rows) {
    if !row.isBackfilled { doubles.add(rows.schedule, row.second) }
    rows.page.removeFirst()
  }

  /// The names that have rows, one probe of the key for each.
  private static func names(_ schedule: String?) -> Statement {
    """
    WITH RECURSIVE names AS (
      SELECT coalesce(\(schedule)::text, (SELECT min(schedule) FROM settled.occurrence)) AS name
      UNION ALL
      SELECT (SELECT min(o.schedule) FROM settled.occurrence AS o WHERE o.schedule > n.name)
      FROM names AS n WHERE n.name IS NOT NULL AND \(schedule)::text IS NULL
    )
    SELECT name FROM names WHERE name IS NOT NULL
    """
  }

  /// The parts of periods that lie in the range, as far as they have been planned.
  private static func periods(
    from: Timestamp, to: Timestamp, schedule: String?, _ transaction: Transaction
  ) async throws -> [Period] {
    try await transaction.query(
      """
      SELECT p.schedule, p.cron, p.at, p.zone, p.valid_from, coalesce(p.valid_to, s.cursor_at) AS valid_to,
        p.offsets::text AS offsets
      FROM settled.schedule_period AS p LEFT JOIN settled.schedule AS s ON s.name = p.schedule
      WHERE p.valid_from < \(to) AND coalesce(p.valid_to, s.cursor_at) >= \(from)
        AND (\(schedule)::text IS NULL OR p.schedule = \(schedule))
      ORDER BY p.schedule, p.valid_from
      """
    ).decodeAll { row in try Period(row, from: from, to: to) }
  }
}
