import Postgres

/// The statements on `settled.node`. Times are real time.
enum NodeStatements {
  /// Takes the lock on a node's name for the session: whether it was free; null where the session's back end is not
  /// `backend`, because a proxy stands between.
  static func claim(node: String, backend: Int32) -> Statement {
    """
    SELECT CASE WHEN pg_backend_pid() = \(backend)
      THEN pg_try_advisory_lock(hashtextextended(\("settled node " + node), 0)) END
    """
  }

  /// Who holds that lock: the back end, from where, and since when it is connected.
  static func holder(node: String) -> Statement {
    """
    SELECT a.pid, coalesce(host(a.client_addr), 'the machine of the database'), a.backend_start
    FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND a.datname = current_database()
      AND l.database = a.datid
      AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(\("settled node " + node), 0)
      AND a.backend_start IS NOT NULL
    """
  }

  static func startedAt(node: String) -> Statement {
    "SELECT started_at FROM settled.node WHERE node = \(node)"
  }

  /// Registers a start; yields whether the node's last run was not stopped cleanly, and when this one began.
  static func register(node: String, version: String) -> Statement {
    """
    WITH before AS (SELECT state FROM settled.node WHERE node = \(node))
    INSERT INTO settled.node AS n (node, version, started_at, last_seen_at, state)
    VALUES (\(node), \(version), clock_timestamp(), clock_timestamp(), 'ready')
    ON CONFLICT (node) DO UPDATE SET version = excluded.version, started_at = excluded.started_at,
      last_seen_at = excluded.last_seen_at, state = 'ready', asleep = false
    RETURNING coalesce((SELECT state <> 'stopped' FROM before), false), n.started_at
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
