import Postgres

/// Reads events and occurrences of all nodes for watchers.
enum WatchStatements {
  static let rowsMax = 1_000

  /// Where a watch begins: the last position, the highest ids of an occurrence and of a command, and the ticks that
  /// have not ended.
  static let beginning: Statement = """
    SELECT (SELECT c.last_position FROM settled.event_counter AS c) AS position,
      coalesce((SELECT max(o.id) FROM settled.occurrence AS o), 0) AS id,
      coalesce((SELECT max(a.id) FROM settled.audit AS a), 0) AS command,
      coalesce(array_agg(r.schedule), '{}') AS schedules, coalesce(array_agg(r.instant), '{}') AS instants,
      coalesce(array_agg(CASE WHEN r.claimed_at IS NULL THEN 'planned' ELSE 'running' END), '{}') AS statuses
    FROM (SELECT * FROM settled.run ORDER BY schedule, instant LIMIT \(Int64(rowsMax))) AS r
    """

  static func isSchedule(_ name: String) -> Statement {
    "SELECT EXISTS (SELECT FROM settled.schedule AS s WHERE s.name = \(name))"
  }

  static func events(after position: Int64) -> Statement {
    """
    SELECT e.position, e.occurred_at, e.topic, e.key, left(e.payload::text, 500) AS text
    FROM settled.event AS e WHERE e.position > \(position) ORDER BY e.position LIMIT \(Int64(rowsMax))
    """
  }

  /// Operators' commands.
  static func commands(after id: Int64) -> Statement {
    """
    SELECT a.id, a.at, a.command, a.target,
      CASE WHEN split_part(a.command, '.', 1) IN ('job', 'schedule') THEN a.target END AS job,
      left(concat_ws(': ', 'by uid ' || a.uid || ' on ' || a.node, a.reason), 500) AS text
    FROM settled.audit AS a WHERE a.id > \(id) ORDER BY a.id LIMIT \(Int64(rowsMax))
    """
  }

  /// Occurrences that were planned since an id was the highest.
  static func planned(after id: Int64) -> Statement {
    """
    SELECT \(raw: columns) FROM settled.occurrence AS o WHERE o.id > \(id) ORDER BY o.id LIMIT \(Int64(rowsMax))
    """
  }

  /// Occurrences that had not ended.
  static func open(_ schedules: [String], _ instants: [Timestamp]) -> Statement {
    """
    SELECT \(raw: columns) FROM unnest(\(schedules), \(instants)) AS k (schedule, instant)
    JOIN settled.occurrence AS o ON o.schedule = k.schedule AND o.instant = k.instant ORDER BY o.id
    """
  }

  /// The text describes the status for watchers.
  private static let columns = """
    o.id, coalesce(o.finished_at, o.started_at, o.planned_at) AS at, o.schedule, o.instant, o.status,
    concat_ws(': ', 'tick of ' || settled.iso(o.instant) || coalesce(' on ' || o.node, ''),
      CASE o.status WHEN 'ran' THEN coalesce(o.rows, 0) || ' rows' ELSE o.reason END) AS text
    """
}
