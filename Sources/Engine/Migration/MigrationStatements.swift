import Postgres

/// The statements of the migrator on its own two tables.
enum MigrationStatements {
  /// Creates the migrator's tables where they are missing.
  static let bootstrap = """
    CREATE SCHEMA IF NOT EXISTS settled;
    CREATE TABLE IF NOT EXISTS settled.migration (
      number integer PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      breaking boolean NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE IF NOT EXISTS settled.function_script (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      checksum text NOT NULL,
      roles text NOT NULL,
      applied_at timestamptz NOT NULL
    );
    """

  /// One migrator at a time in a database; held until the session ends.
  static let lock: Statement = "SELECT pg_advisory_lock(7310579, 1)"

  static let isInstalled: Statement = "SELECT to_regclass('settled.migration') IS NOT NULL"

  static let applied: Statement = "SELECT number, name, checksum, breaking FROM settled.migration ORDER BY number"

  static func checksums(of texts: [String]) -> Statement {
    """
    SELECT encode(sha256(convert_to(t.body, 'UTF8')), 'hex')
    FROM unnest(\(texts)) WITH ORDINALITY AS t(body, place) ORDER BY t.place
    """
  }

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

  static let hasInstallation: Statement = "SELECT to_regclass('settled.installation') IS NOT NULL"

  static let hasRealClock: Statement = "SELECT EXISTS (SELECT FROM settled.installation WHERE NOT simulated)"

  /// Says once what kind of database this is; yields what it is.
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
