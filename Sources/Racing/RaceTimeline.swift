import Operations
import Postgres

/// Races on the timeline: when they were settled or will be, what they hold, and what waits for a review.
enum RaceTimeline {
  static let sources = [
    TimelineSource(.races, marks: settled), TimelineSource(.races, marks: due),
    TimelineSource(.races, marks: cancelled), TimelineSource(.holds, marks: holds),
    TimelineSource(.holds, marks: reviews),
  ]

  /// Whether an ended race waits, as racing.waiting_json has it: for activities and claims, or for entrants.
  private static let waits = "(r.waiting_activities <> '{}' OR r.next_check_at > r.due_at)"

  static func settled(_ range: InstantRange) -> Statement {
    """
    SELECT s.settled_at AS at, NULL::timestamptz AS until, 'race-settlement' AS job, r.id::text AS key,
      r.entry_count::bigint AS count, s.fees_pence AS pence, 'done' AS outcome,
      (1e3 * extract(epoch FROM s.settled_at - r.next_check_at))::bigint AS lateness,
      r.type || ' ' || r.category || ': ' || s.outcome AS note
    FROM racing.settlement AS s JOIN racing.race AS r ON r.id = s.race_id
    WHERE s.settled_at >= \(range.from) AND s.settled_at < \(range.to) AND s.revision = 1
    """
  }

  /// Those that are open, and those that have ended, at the instant at which they will be settled.
  static func due(_ range: InstantRange) -> Statement {
    """
    SELECT CASE r.status WHEN 'ended' THEN r.settle_due_at ELSE r.next_check_at END AS at, NULL::timestamptz AS until,
      'race-settlement' AS job, r.id::text AS key, r.entry_count::bigint AS count,
      r.entry_fee_pence * r.entry_count AS pence,
      CASE WHEN EXISTS (SELECT FROM settled.failure AS f WHERE f.job = 'race-settlement' AND f.key = r.id::text)
        THEN 'failed' WHEN r.status = 'ended' AND \(raw: waits) THEN 'held' ELSE 'pending' END AS outcome,
      NULL::bigint AS lateness, r.type || ' ' || r.category AS note
    FROM (
      SELECT o.* FROM racing.race AS o WHERE o.status IN ('upcoming', 'active')
        AND o.next_check_at >= \(range.from) AND o.next_check_at < \(range.to)
      UNION ALL
      SELECT e.* FROM racing.race AS e WHERE e.settle_due_at IS NOT NULL AND e.status = 'ended'
        AND e.settle_due_at >= \(range.from) AND e.settle_due_at < \(range.to)
    ) AS r
    """
  }

  /// At the end that they would have had.
  static func cancelled(_ range: InstantRange) -> Statement {
    """
    SELECT r.ends_at AS at, NULL::timestamptz AS until, 'race-settlement' AS job, r.id::text AS key,
      r.entry_count::bigint AS count, NULL::bigint AS pence, 'skipped' AS outcome, NULL::bigint AS lateness,
      r.type || ' ' || r.category || ': cancelled' AS note
    FROM racing.race AS r
    WHERE r.status = 'cancelled' AND r.ends_at >= \(range.from) AND r.ends_at < \(range.to)
    """
  }

  /// From the due instant to the end of the hold.
  static func holds(_ range: InstantRange) -> Statement {
    """
    SELECT r.due_at AS at, r.next_check_at AS until, 'race-settlement' AS job, r.id::text AS key,
      cardinality(r.waiting_activities)::bigint AS count, r.entry_fee_pence * r.entry_count AS pence,
      'held' AS outcome, NULL::bigint AS lateness, r.type || ' ' || r.category AS note
    FROM racing.race AS r
    WHERE r.settle_due_at >= \(range.from) AND r.status = 'ended' AND \(raw: waits)
      AND r.due_at < \(range.to)
    """
  }

  /// Reviews without a decision, from the instant at which they were opened.
  static func reviews(_ range: InstantRange) -> Statement {
    """
    SELECT v.opened_at AS at, NULL::timestamptz AS until, 'flag-escalation' AS job, v.activity_id::text AS key,
      1::bigint AS count, NULL::bigint AS pence, 'held' AS outcome, NULL::bigint AS lateness,
      'review, level ' || v.level AS note
    FROM racing.review AS v WHERE v.state <> 'decided' AND v.opened_at < \(range.to)
    """
  }
}
