import Postgres

/// Finds journals by time. They have no index of it, but their ids grow with it.
///
/// Two journals of sessions that write at once may stand in the other order, and so may those around a clock difference
/// that an operator accepted: whoever needs every journal of a span widens it by `slack`, and compares the instants.
enum JournalSearch {
  /// No transaction lasts so long, and no clock is so wrong before it is stopped.
  static let slack: Duration = .seconds(2 * 86_400)

  /// The highest id before an instant, 0 where there is none: at most 64 rows are looked up by id, halving the rest.
  static func last(before instant: Timestamp) -> Statement {
    """
    WITH RECURSIVE search (low, high) AS (
      SELECT 0::bigint, coalesce((SELECT max(j.id) FROM racing.journal AS j), 0)
      UNION ALL
      SELECT CASE WHEN f.occurred_at < \(instant) THEN f.id ELSE s.low END,
        CASE WHEN f.occurred_at < \(instant) THEN s.high ELSE s.low + (s.high - s.low) / 2 END
      FROM search AS s CROSS JOIN LATERAL (
        SELECT j.id, j.occurred_at FROM racing.journal AS j
        WHERE j.id > s.low + (s.high - s.low) / 2 ORDER BY j.id LIMIT 1
      ) AS f
      WHERE s.low < s.high
    )
    SELECT max(s.low) FROM search AS s
    """
  }
}
