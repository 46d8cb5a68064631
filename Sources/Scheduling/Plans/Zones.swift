package import Postgres
package import Cron

/// The UTC offsets of zones, as the database has them.
package enum Zones {
  /// A fold that contains an instant began less than this before it.
  private static let lookback: Int64 = 2 * 86_400

  /// One zone from `low` to `high` (seconds), with the offsets needed to judge `low` itself.
  package static func offsets(
    _ zone: String, from low: Int64, through high: Int64, _ session: some Session
  ) async throws -> ZoneOffsets {
    try offsets(try await session.query(statement(zone, from: low, through: high)), through: high)
  }

  static func statement(_ zone: String, from low: Int64, through high: Int64) -> Statement {
    let (first, last) = (Timestamp(second: low - lookback), Timestamp(second: high))
    return "SELECT start, seconds FROM settled.zone_offsets(\(zone), \(first), \(last))"
  }

  /// The result of such a statement.
  package static func offsets(_ rows: Rows, through high: Int64) throws(PostgresError) -> ZoneOffsets {
    let spans = try rows.decode(Int64.self, Int64.self).map { ZoneOffsets.Span(start: $0, offset: $1) }
    return ZoneOffsets(spans, end: high + 1)
  }

  /// Farther and farther horizons: most schedules tick within days, 29 February on a given weekday within 40 years.
  package static let horizons: [Int64] = [3 * 86_400, 400 * 86_400, 61 * 366 * 86_400]

  /// The first tick after a second, however far.
  package static func next(
    _ timing: Timing, zone: String, after second: Int64, _ session: some Session
  ) async throws -> Int64? {
    if case .once(let instant) = timing { return instant > second ? instant : nil }
    for horizon in horizons {
      let offsets = try await offsets(zone, from: second, through: second + horizon, session)
      if let tick = Ticks(timing, offsets).first(1, after: second, through: second + horizon).first {
        return tick.instant
      }
    }
    return nil
  }
}
