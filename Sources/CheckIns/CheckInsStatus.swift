import Operations
import Postgres

/// `checkins status`: the next midnights, and the days that were closed.
enum CheckInsStatus {
  private static let daysMax: Int64 = 400

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let days = call.integer("days") ?? 30
    guard (1...daysMax).contains(days) else {
      throw CommandError(.usage, rule: "days", "days must be between 1 and \(daysMax)")
    }
    return try await transaction.query(statement(days: days)).one(JSON.self)
  }

  /// The whole answer. There are as many rows of zones as time zones, and one closed day for each of them and date.
  ///
  /// The people of a midnight are those who have checked in so far on the day that ends then.
  static func statement(days: Int64) -> Statement {
    """
    SELECT jsonb_build_object(
      'zones', (SELECT count(*) FROM checkins.zone),
      'overdue', (SELECT count(*) FROM checkins.zone AS z WHERE z.next_at < t.now),
      'midnights', coalesce((
        SELECT jsonb_agg(jsonb_build_object('at', settled.iso(m.next_at), 'zones', m.zones, 'people', m.people)
          ORDER BY m.next_at)
        FROM (
          SELECT z.next_at, count(*) AS zones, coalesce(sum(c.people), 0)::bigint AS people
          FROM checkins.zone AS z CROSS JOIN LATERAL (
            SELECT sum(x.checked_in) AS people FROM checkins.tally AS x WHERE x.zone = z.name AND x.date = z.next_date
          ) AS c
          GROUP BY z.next_at ORDER BY z.next_at LIMIT 100
        ) AS m), '[]'),
      'days', coalesce((
        SELECT jsonb_agg(jsonb_build_object('day', d.date::text, 'zones', d.zones, 'checkedIn', d.checked_in,
          'streaksEnded', d.streaks_ended) ORDER BY d.date)
        FROM (
          SELECT c.date, count(*) AS zones, sum(c.checked_in)::bigint AS checked_in,
            sum(c.streaks_ended)::bigint AS streaks_ended
          FROM checkins.zone AS z CROSS JOIN LATERAL (
            SELECT x.date, x.checked_in, x.streaks_ended FROM checkins.day AS x
            WHERE x.zone = z.name AND x.date > (t.now AT TIME ZONE 'UTC')::date - \(days)::integer
          ) AS c
          GROUP BY c.date
        ) AS d), '[]'))
    FROM settled.clock() AS t (now)
    """
  }
}
