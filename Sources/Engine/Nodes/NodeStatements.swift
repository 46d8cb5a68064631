import Postgres

/// The statements on `settled.node`. Times are real time.
enum NodeStatements {
  /// Registers a start; yields whether the node's last run was not stopped cleanly.
  static func register(node: String, version: String) -> Statement {
    """
    WITH before AS (SELECT state FROM settled.node WHERE node = \(node))
    INSERT INTO settled.node AS n (node, version, started_at, last_seen_at, state)
    VALUES (\(node), \(version), clock_timestamp(), clock_timestamp(), 'ready')
    ON CONFLICT (node) DO UPDATE SET version = excluded.version, started_at = excluded.started_at,
      last_seen_at = excluded.last_seen_at, state = 'ready', asleep = false
    RETURNING coalesce((SELECT state <> 'stopped' FROM before), false)
    """
  }

  /// Still here; and nodes that have not been seen for three minutes are gone, so that nobody rings for them.
  ///
  /// The node's own mark is written anew: another one may have taken this node for gone, and writers are silent since.
  static func beat(node: String, state: String, asleep: Bool) -> Statement {
    """
    UPDATE settled.node SET
      last_seen_at = CASE WHEN node = \(node) THEN clock_timestamp() ELSE last_seen_at END,
      state = CASE WHEN node = \(node) THEN \(state) ELSE 'gone' END,
      asleep = node = \(node) AND \(asleep)
    WHERE node = \(node)
      OR state IN ('ready', 'degraded', 'draining') AND last_seen_at < clock_timestamp() - interval '3 minutes'
    """
  }

  static func setAsleep(node: String, _ asleep: Bool) -> Statement {
    "UPDATE settled.node SET asleep = \(asleep) WHERE node = \(node)"
  }

  static func stop(node: String) -> Statement {
    """
    UPDATE settled.node SET state = 'stopped', asleep = false, last_seen_at = clock_timestamp() WHERE node = \(node)
    """
  }
}
