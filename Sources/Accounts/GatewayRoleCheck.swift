import Operations
import Postgres

/// The check of `doctor` about settled_gateway, which everybody on the network speaks
/// to: its rights and limits are exact.
enum GatewayRoleCheck {
  static let checks = [rights, limits]

  private static let rights = Check("gateway role's rights") { transaction in
    let isThere = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'settled_gateway')" as Statement
    guard try await transaction.query(isThere).one(Bool.self) else {
      return .init("the settled_gateway role does not exist, so no gateway can serve this database")
    }
    let found = try await transaction.query(differences).decode(String.self)
    return found.isEmpty
      ? .init("settled_gateway can only call its own functions")
      : .init(
        "settled_gateway \(found.joined(separator: "; "))", ok: false,
        remedy: "correct these privileges as the database owner")
  }

  /// The rights that it has and should not, or should have and has not: nine at most. Routes' functions run as their
  /// owner; the other functions of schema gateway are for these alone, or for the daemon.
  static let differences: Statement = """
    WITH ours AS (
      SELECT n.oid, n.nspname FROM pg_namespace AS n WHERE n.nspname IN
        ('accounts', 'achievements', 'checkins', 'gateway', 'racing', 'seasons', 'settled', 'strava')
    ), found AS (
      SELECT 1 AS place, 'cannot call ' || p.oid::regprocedure AS text FROM pg_proc AS p
        JOIN ours AS n ON n.oid = p.pronamespace
        WHERE n.nspname = 'gateway' AND p.prosecdef AND p.proname <> ALL ('{erase_person,prune_answers}')
          AND NOT has_function_privilege('settled_gateway', p.oid, 'EXECUTE')
      UNION ALL
      SELECT 2, 'can call ' || p.oid::regprocedure FROM pg_proc AS p JOIN ours AS n ON n.oid = p.pronamespace
        WHERE NOT (n.nspname = 'gateway' AND p.prosecdef AND p.proname <> ALL ('{erase_person,prune_answers}'))
          AND has_function_privilege('settled_gateway', p.oid, 'EXECUTE')
      UNION ALL
      SELECT 3, 'has rights to ' || c.oid::regclass FROM pg_class AS c JOIN ours AS n ON n.oid = c.relnamespace
        WHERE CASE c.relkind
          WHEN 'S' THEN has_sequence_privilege('settled_gateway', c.oid, 'USAGE, SELECT, UPDATE')
          ELSE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (
            has_any_column_privilege('settled_gateway', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
            OR has_table_privilege('settled_gateway', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))
          END
      UNION ALL
      SELECT 4, 'can use schema ' || n.nspname FROM ours AS n
        WHERE n.nspname <> 'gateway' AND has_schema_privilege('settled_gateway', n.oid, 'USAGE')
          OR has_schema_privilege('settled_gateway', n.oid, 'CREATE')
      UNION ALL
      SELECT 5, 'cannot use schema gateway' FROM ours AS n
        WHERE n.nspname = 'gateway' AND NOT has_schema_privilege('settled_gateway', n.oid, 'USAGE')
      UNION ALL
      SELECT 0, 'cannot connect to this database'
        WHERE NOT has_database_privilege('settled_gateway', current_database(), 'CONNECT')
      UNION ALL
      SELECT 0, 'can act as ' || r.rolname FROM pg_roles AS r
        WHERE r.rolname <> 'settled_gateway' AND NOT pg_has_role(r.oid, 'settled_gateway', 'MEMBER')
          AND pg_has_role('settled_gateway', r.oid, 'MEMBER')
      UNION ALL
      SELECT 0, 'is more than a plain role (superuser, createrole, createdb, replication or bypassrls)' FROM pg_roles AS r
        WHERE r.rolname = 'settled_gateway'
          AND (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls)
    )
    SELECT f.text FROM found AS f ORDER BY f.place, f.text LIMIT 9
    """

  private static let limits = Check("gateway role's limits") { transaction in
    let found = try await transaction.query(unlimited).decode(String.self)
    return found.isEmpty
      ? .init("every gateway login role has timeouts")
      : .init(
        "these login roles have no timeouts, and a pooling proxy can drop session settings: "
          + found.joined(separator: ", "), ok: false,
        remedy: "run settled migrate, or ALTER ROLE ... SET statement_timeout, lock_timeout and "
          + "idle_in_transaction_session_timeout")
  }

  /// Logins that are settled_gateway, or members of it, and have not all three time-outs: a group's settings are not
  /// those of its members.
  static let unlimited: Statement = """
    SELECT r.rolname::text FROM pg_roles AS r JOIN pg_roles AS g ON g.rolname = 'settled_gateway'
    WHERE r.rolcanlogin AND NOT r.rolsuper AND pg_has_role(r.oid, g.oid, 'MEMBER') AND (
      SELECT count(DISTINCT split_part(c.setting, '=', 1))
      FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c (setting)
      WHERE s.setrole = r.oid
        AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
        AND split_part(c.setting, '=', 1)
          IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
        AND split_part(c.setting, '=', 2) NOT IN ('0', '0s', '0ms')
    ) < 3
    ORDER BY 1 LIMIT 9
    """
}
