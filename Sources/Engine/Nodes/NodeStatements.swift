import Postgres

/// The statements on `settled.node`. Times are real time.
enum NodeStatements {
  /// SQL of a condition on a row `n`: the session that holds the node's name is alive. The start of another role's
  /// session is not visible; then its process and role are compared.
  static let lives = """
    EXISTS (SELECT FROM pg_stat_activity AS a WHERE a.pid = n.backend_pid AND a.usesysid = n.backend_role
      AND coalesce(a.backend_start = n.backend_start, true))
    """

  /// SQL of one value: the names of the nodes with live sessions that were ready within the last one and a half
  /// heartbeats, in order. After a clock jump there are none. It refers to no other row, so that a poll evaluates it
  /// once.
  static let working = """
    coalesce((SELECT array_agg(n.node ORDER BY n.node) FROM settled.node AS n WHERE n.state = 'ready' AND \(lives)
      AND abs(extract(epoch FROM n.last_seen_at - clock_timestamp())) <= 90), '{}')
    """

  /// Takes a node's name for the session, in one transaction: the row is created and locked, then taken if it is free
  /// or `last` holds it. Sessions are checked after the lock, so that no newer holder is missed.
  ///
  /// Returns whether the session's back end is `backend` (else a proxy is in between), the session's start if it now
  /// holds the name, and the address and start of the previous holder's connection.
  static func claim(node: String, backend: Int32, last: NodeName.Backend?) -> [Statement] {
    [
      "SELECT set_config('lock_timeout', '1s', true)",
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state)
      VALUES (\(node), '', clock_timestamp(), clock_timestamp(), 'stopped') ON CONFLICT (node) DO NOTHING
      """,
      "SELECT FROM settled.node WHERE node = \(node) FOR UPDATE",
      """
      WITH taken AS (
        UPDATE settled.node AS n SET backend_pid = o.pid, backend_start = o.backend_start, backend_role = o.usesysid
        FROM pg_stat_activity AS o
        WHERE n.node = \(node) AND o.pid = pg_backend_pid() AND o.pid = \(backend)
          AND ((n.backend_pid, n.backend_start) IS NOT DISTINCT FROM (\(last?.pid)::integer, \(last?.start)::timestamptz)
            OR NOT \(raw: lives))
        RETURNING n.backend_start
      )
      SELECT pg_backend_pid() = \(backend) AS is_own, (SELECT backend_start FROM taken) AS start, coalesce((
          SELECT coalesce(host(a.client_addr), 'the machine of the database') FROM pg_stat_activity AS a
          WHERE a.pid = n.backend_pid), 'nowhere') AS place, n.backend_start AS since
      FROM settled.node AS n WHERE n.node = \(node)
      """,
    ]
  }

  /// Terminates a session of this daemon whose loss the server has not noticed yet.
  static func end(_ backend: NodeName.Backend) -> Statement {
    """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid = \(backend.pid) AND backend_start = \(backend.start) AND pid <> pg_backend_pid()
    """
  }

  /// The sessions that may hold a lock on a node's row.
  static let lockers: Statement = """
    SELECT coalesce(array_agg(DISTINCT pid), '{}') FROM pg_locks
    WHERE relation = 'settled.node'::regclass AND granted AND mode <> 'AccessShareLock' AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """

  /// Registers a start; returns whether the node's last run was not stopped cleanly, and when this one began.
  static func register(node: String, version: String, hasProvider: Bool) -> Statement {
    """
    WITH before AS (SELECT state FROM settled.node WHERE node = \(node))
    INSERT INTO settled.node AS n (node, version, started_at, last_seen_at, state, has_provider)
    VALUES (\(node), \(version), clock_timestamp(), clock_timestamp(), 'ready', \(hasProvider))
    ON CONFLICT (node) DO UPDATE SET version = excluded.version, started_at = excluded.started_at,
      last_seen_at = excluded.last_seen_at, state = 'ready', needs_notify = false, has_provider = excluded.has_provider
    RETURNING coalesce((SELECT state <> 'stopped' FROM before), false), n.started_at
    """
  }

  /// Marks this node as seen. Nodes not seen for three minutes are gone, so that no writer notifies for them. Nodes
  /// with a live session are kept: the clock may have jumped.
  ///
  /// The node's own request is written again: another node may have marked it as gone, and writers have been silent
  /// since. Returns the start in the node's row, and null for each node that is gone.
  static func beat(node: String, state: String, needsNotify: Bool) -> Statement {
    """
    UPDATE settled.node AS n SET
      last_seen_at = CASE WHEN node = \(node) THEN clock_timestamp() ELSE last_seen_at END,
      state = CASE WHEN node = \(node) THEN \(state) ELSE 'gone' END,
      needs_notify = node = \(node) AND \(needsNotify),
      beats = n.beats + (node = \(node))::integer
    WHERE node = \(node)
      OR state IN ('ready', 'degraded', 'draining') AND last_seen_at < clock_timestamp() - interval '3 minutes'
        AND NOT \(raw: lives)
    RETURNING CASE WHEN n.node = \(node) THEN n.started_at END
    """
  }

  static func setNeedsNotify(node: String, _ needsNotify: Bool) -> Statement {
    "UPDATE settled.node SET needs_notify = \(needsNotify) WHERE node = \(node)"
  }

  /// An id that is higher than that of each transaction which wrote before. The last one that has ended does not show
  /// it, because higher ones may run.
  static let transactionID: Statement = "SELECT pg_current_xact_id()::text"

  static func stop(node: String) -> Statement {
    """
    UPDATE settled.node SET state = 'stopped', needs_notify = false, last_seen_at = clock_timestamp() WHERE node = \(node)
    """
  }
}
