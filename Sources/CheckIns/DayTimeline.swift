import Operations
import Postgres

/// The days of zones on the timeline: those that were closed, and the next one of each zone.
enum DayTimeline {
  static let sources = [TimelineSource(.days, marks: closed), TimelineSource(.days, marks: coming)]

  /// A day that was closed more than two days after its end is left out. Each zone is a look into the index of days.
  static func closed(_ range: InstantRange) -> Statement {
    """
    SELECT d.closed_at AS at, NULL::timestamptz AS until, 'daily-reset' AS job, d.zone || ' ' || d.date AS key,
      d.checked_in AS count, NULL::bigint AS pence, 'done' AS outcome,
      (1e3 * extract(epoch FROM d.closed_at - settled.day_start(d.date + 1, d.zone)))::bigint AS lateness,
      d.streaks_ended || ' streaks ended' AS note
    FROM checkins.zone AS z, LATERAL (
      SELECT x.* FROM checkins.day AS x
      WHERE x.zone = z.name AND x.date >= (\(range.from)::timestamptz - interval '3 days')::date
        AND x.date <= (\(range.to)::timestamptz + interval '1 day')::date
      OFFSET 0
    ) AS d
    WHERE d.closed_at >= \(range.from) AND d.closed_at < \(range.to)
    """
  }

  /// `count`: who has checked in on that day by now.
  static func coming(_ range: InstantRange) -> Statement {
    """
    SELECT z.next_at AS at, NULL::timestamptz AS until, 'daily-reset' AS job, z.name || ' ' || z.next_date AS key,
      coalesce((SELECT sum(t.checked_in) FROM checkins.tally AS t WHERE t.zone = z.name AND t.date = z.next_date), 0)
        ::bigint AS count, NULL::bigint AS pence, 'pending' AS outcome, NULL::bigint AS lateness, NULL::text AS note
    FROM checkins.zone AS z WHERE z.next_at >= \(range.from) AND z.next_at < \(range.to)
    """
  }
}
