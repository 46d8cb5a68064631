import Postgres

/// The statements of the migrator on its own two tables.
enum MigrationStatements {
  /// Creates the migrator's tables.
  static let bootstrap = """
    CREATE TABLE settled.migration (
      number integer PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      breaking boolean NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE settled.function_script (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      checksum text NOT NULL,
      roles text NOT NULL,
      applied_at timestamptz NOT NULL
    );
    """

  /// One migrator at a time in a database, until its transaction ends; readers of the table continue.
  ///
  /// Only roles with the right to write here can take this lock.
  static let lock: Statement = "LOCK TABLE settled.migration IN SHARE ROW EXCLUSIVE MODE"

  static let encoding: Statement = "SELECT current_setting('server_encoding')"

  static let isReplica: Statement = "SELECT current_setting('session_replication_role') = 'replica'"

  static let becomeOwner: Statement = "SET LOCAL ROLE \(raw: Ownership.owner)"

  static let hasSchema: Statement = "SELECT to_regnamespace('settled') IS NOT NULL"

  static func has(_ migration: Migration) -> Statement {
    "SELECT EXISTS (SELECT FROM settled.migration WHERE number = \(migration.number))"
  }

  /// Sessions that may block a migrator: sessions that write, or that lock one of the product's tables; oldest first.
  static let holders: Statement = """
    SELECT format('pid %s (%s, %s)', a.pid, a.usename, a.application_name) FROM pg_stat_activity AS a
    WHERE a.pid <> pg_backend_pid() AND a.datname = current_database()
      AND (a.backend_xid IS NOT NULL OR EXISTS (
        SELECT FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE l.pid = a.pid AND l.granted AND n.nspname = ANY(\(Ownership.schemas))))
    ORDER BY a.xact_start LIMIT 3
    """

  static let isInstalled: Statement = "SELECT to_regclass('settled.migration') IS NOT NULL"

  static let applied: Statement = "SELECT number, name, checksum, breaking FROM settled.migration ORDER BY number"

  static func record(_ migration: Migration, checksum: String) -> Statement {
    """
    INSERT INTO settled.migration (number, name, checksum, breaking)
    VALUES (\(migration.number), \(migration.name), \(checksum), \(migration.isBreaking))
    """
  }

  static let appliedFunctions: Statement = "SELECT checksum, release FROM settled.function_script"

  /// Whether the functions were applied with this text, and their grants with the roles that exist.
  static func hasFunctions(checksum: String) -> Statement {
    """
    SELECT EXISTS (SELECT FROM settled.function_script
      WHERE checksum = \(checksum) AND roles = \(fragment: existingRoles))
    """
  }

  /// Whether a privilege was granted or revoked since the functions were applied.
  static let hasChangedRights: Statement = "SELECT EXISTS (SELECT FROM settled.changed_rights())"

  static func recordFunctions(checksum: String, release: Int32) -> Statement {
    """
    INSERT INTO settled.function_script AS f (checksum, release, roles, applied_at)
    VALUES (\(checksum), \(release), \(fragment: existingRoles), clock_timestamp())
    ON CONFLICT (only_row) DO UPDATE SET checksum = excluded.checksum, release = excluded.release,
      roles = excluded.roles, applied_at = excluded.applied_at
    """
  }

  private static let existingRoles: Statement = """
    (SELECT coalesce(string_agg(rolname, ' ' ORDER BY rolname), '') FROM pg_roles WHERE rolname = ANY(\(Roles.all)))
    """

  static let hasDaemon: Statement = """
    SELECT EXISTS (SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND (usename = 'settled_daemon' OR application_name = 'settled')
        AND pid <> pg_backend_pid())
    """

  static let hasInstallation: Statement = "SELECT to_regclass('settled.installation') IS NOT NULL"

  static let hasRealClock: Statement = "SELECT EXISTS (SELECT FROM settled.installation WHERE NOT simulated)"

  /// Records once what kind of database this is; returns the recorded kind.
  static func install(simulated: Bool) -> Statement {
    """
    WITH made AS (
      INSERT INTO settled.installation (simulated, clock_base, clock_set_at)
      SELECT \(simulated), CASE WHEN \(simulated) THEN now END, CASE WHEN \(simulated) THEN now END
      FROM (SELECT clock_timestamp() AS now) AS t
      ON CONFLICT (only_row) DO NOTHING
      RETURNING simulated
    )
    SELECT simulated FROM made UNION ALL SELECT simulated FROM settled.installation LIMIT 1
    """
  }
}
