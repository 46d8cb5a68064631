import Operations
import Postgres

/// Calls on the timeline: refreshes that are to come, counted by quarters of an hour, and the windows under way.
enum CallTimeline {
  static let sources = [TimelineSource(.calls, marks: refreshes), TimelineSource(.calls, marks: windows)]

  static func refreshes(_ range: InstantRange) -> Statement {
    """
    SELECT b.at, b.at + interval '15 minutes' AS until, 'token-refresh' AS job, NULL::text AS key, count(*) AS count,
      NULL::bigint AS pence, 'pending' AS outcome, NULL::bigint AS lateness, NULL::text AS note
    FROM (SELECT date_bin('15 minutes', c.next_call_at, '2000-01-01Z') AS at FROM strava.connection AS c
      WHERE c.status = 'active' AND c.next_call_at >= \(range.from) AND c.next_call_at < \(range.to)) AS b GROUP BY b.at
    """
  }

  static func windows(_ range: InstantRange) -> Statement {
    """
    SELECT w.started_at AS at, w.started_at + w.seconds * interval '1 second' AS until, w.budget AS job,
      NULL::text AS key, w.used AS count, NULL::bigint AS pence, 'done' AS outcome, NULL::bigint AS lateness,
      'window of ' || w.seconds || ' s' AS note
    FROM settled.call_window AS w
    WHERE w.seconds = 900 AND w.started_at >= \(range.from) AND w.started_at < \(range.to)
    """
  }
}
