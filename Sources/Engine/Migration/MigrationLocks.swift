import Postgres

/// How a migrator acquires locks that apps may hold: it yields.
enum MigrationLocks {
  /// How long it waits for such a lock at most, while others wait behind it.
  private static let wait: Duration = .milliseconds(200)

  /// One lock was not available in time, or not all of them.
  ///
  /// A short `statement_timeout` can look like a cancelled statement, because its text may be translated.
  static func isRefusal(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .contention, .timeout, .caller: true
    case .item, .connection, .resource, .installation: false
    }
  }

  /// From here on the transaction never waits for a lock longer than an app can tolerate, or than `limit`.
  nonisolated(nonsending) static func shortenWaits(_ transaction: Transaction, to limit: Duration) async throws {
    try await transaction.execute(shorten("lock_timeout", to: min(wait, limit)))
  }

  /// Acquires all locks that the functions' triggers and views need together, within a short time or not at all: an app
  /// that holds one of them and waits for another can continue. Afterwards no statement waits.
  ///
  /// - Parameter statementTimeout: the time-out of the statements after it.
  nonisolated(nonsending) static func takeAll(_ transaction: Transaction, statementTimeout: Duration) async throws {
    try await transaction.execute(shorten("statement_timeout", to: wait))
    try await transaction.execute(all)
    try await transaction.execute(set("statement_timeout", statementTimeout))
  }

  /// Half of the server's `deadlock_timeout` where that is shorter: if an app and the migrator wait for each other, the
  /// migrator gives up before the server cancels the app.
  static func shorten(_ name: String, to limit: Duration) -> Statement {
    """
    SELECT set_config(\(name), least(\(limit.milliseconds), greatest(1, s.setting::bigint / 2))::text, true)
    FROM pg_settings AS s WHERE s.name = 'deadlock_timeout'
    """
  }

  private static func set(_ name: String, _ limit: Duration) -> Statement {
    "SELECT set_config(\(name), \("\(limit.milliseconds)"), true)"
  }

  /// Locks every view, and every table that has a trigger, as replacing them does: readers of tables continue.
  ///
  /// A view alone cannot be locked by LOCK TABLE, which also locks its tables: assigning it to its owner locks only the
  /// view.
  private static let all: Statement = """
    DO $$
    DECLARE
      ours record;
    BEGIN
      FOR ours IN
        SELECT c.oid::regclass AS name, c.relkind = 'v' AS is_view, c.relowner::regrole AS owner
        FROM pg_class AS c
        WHERE c.relnamespace::regnamespace::text = ANY('{\(raw: Ownership.schemas.joined(separator: ","))}')
          AND NOT c.relispartition
          AND (c.relkind = 'v' OR EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal))
        ORDER BY c.oid
      LOOP
        EXECUTE CASE WHEN ours.is_view THEN format('ALTER VIEW %s OWNER TO %s', ours.name, ours.owner)
          ELSE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', ours.name) END;
      END LOOP;
    END
    $$
    """
}
