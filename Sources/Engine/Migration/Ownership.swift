import Postgres
import Schema

/// The owner of the product's schemas: one role without login owns everything in them.
///
/// So none of the product's functions runs as a superuser, and foreign objects there are never run or taken over.
package enum Ownership {
  package static let owner = "settled_owner"
  package static let schemas = Schema.schemas

  /// The role that migrates, and its privileges.
  struct Migrating: Sendable {
    let name: String
    let isSuperuser: Bool
    /// Whether the owner's role exists: if roles must not be created it may be absent, and the migrating role is the
    /// owner.
    let hasOwner: Bool
    let isMember: Bool

    init(_ row: Row) throws(PostgresError) {
      name = try row["name"]
      isSuperuser = try row["is_superuser"]
      hasOwner = try row["has_owner"]
      isMember = try row["is_member"]
    }

    /// The role that is to own everything.
    var owner: String { hasOwner ? Ownership.owner : name }
  }

  /// Reads the migrating role; throws `EngineError.notAllowed` if it cannot act as the owner.
  ///
  /// With `makesRoles` a role that may create roles becomes a member of the owner's.
  static func migrating(_ connection: Connection, makesRoles: Bool) async throws -> Migrating {
    let role = try await read(connection)
    guard role.hasOwner, !role.isMember else { return role }
    if makesRoles {
      do {
        try await connection.execute("GRANT \(raw: owner) TO CURRENT_USER")
        return try await read(connection)
      } catch let error as PostgresError where error.isDenied || error.isDuplicate {
        // The role may not, or another migrator was quicker.
        let now = try await read(connection)
        if now.isMember { return now }
      }
    }
    throw EngineError(
      .notAllowed,
      """
      \(role.name) is not a member of \(owner), the role that owns everything. Migrate as a superuser, or as another \
      role that is a member (GRANT \(owner) TO that role): --database-url URL, or --database-url-file FILE. The \
      service's role must not be a member.
      """)
  }

  /// Undoes a role that the database's or the login's settings assumed: otherwise the role of `ALTER DATABASE ... SET
  /// role` would count as the migrating one, and its triggers could regain the rights of the login with RESET ROLE.
  static func assumeNoRole(_ connection: Connection) async throws {
    try await connection.execute("SET ROLE NONE")
  }

  private static func read(_ connection: Connection) async throws -> Migrating {
    let statement: Statement = """
      SELECT r.rolname::text AS name, r.rolsuper AS is_superuser, o.oid IS NOT NULL AS has_owner,
        o.oid IS NOT NULL AND pg_has_role(r.oid, o.oid, 'MEMBER') AS is_member
      FROM pg_roles AS r LEFT JOIN pg_roles AS o ON o.rolname = \(owner) WHERE r.rolname = current_user
      """
    return try await connection.query(statement).decodeOne(as: Migrating.init)
  }

  /// Throws `EngineError.notOurs` if a product schema, or an object in one, belongs to a role other than the owner or
  /// the migrating role. For a superuser, other superusers are allowed too. Also throws if another role may create
  /// objects in one.
  ///
  /// Only the catalogue is read: a superuser must not touch a table with a foreign trigger.
  static func refuseConflicts(_ role: Migrating, _ session: some Session) async throws {
    let conflicts = try await session.query(
      """
      SELECT o.kind || ' ' || o.name, r.rolname::text FROM (\(fragment: objects)) AS o JOIN pg_roles AS r ON r.oid = o.owner
      WHERE r.rolname <> \(role.name) AND r.rolname <> \(owner) AND NOT (r.rolsuper AND \(role.isSuperuser))
      ORDER BY o.rank, 1 LIMIT 1
      """
    ).first(String.self, String.self)
    let makers = try await session.query(
      """
      SELECT quote_ident(n.nspname), coalesce(r.rolname::text, 'PUBLIC')
      FROM pg_namespace AS n, aclexplode(n.nspacl) AS a LEFT JOIN pg_roles AS r ON r.oid = a.grantee
      WHERE n.nspname = ANY(\(schemas)) AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
        AND coalesce(r.rolname NOT IN (\(role.name), \(owner)) AND NOT r.rolsuper, true)
      ORDER BY 1, 2 LIMIT 1
      """
    ).first(String.self, String.self)
    if let (schema, maker) = makers {
      throw EngineError(
        .notOurs,
        """
        \(maker) can create objects in the schema \(schema), so nothing was run: check the objects there, then \
        REVOKE CREATE ON SCHEMA \(schema) FROM \(maker)
        """)
    }
    guard let (object, conflict) = conflicts else { return }
    throw EngineError(
      .notOurs,
      """
      the \(object) belongs to \(conflict), not to \(role.owner), so nothing was run: remove it, or check it and \
      everything that depends on it before you make \(role.owner) its owner
      """)
  }

  /// Transfers to the owner the objects of the migrating role or, for a superuser, of another one; the caller holds the
  /// migrators' lock.
  ///
  /// Objects of other owners are searched for after every wait, because they may have appeared meanwhile. Later ones
  /// are not taken over.
  static func move(_ role: Migrating, _ transaction: Transaction) async throws {
    try await letCreate(role, transaction)
    try await refuseConflicts(role, transaction)
    guard role.hasOwner else { return }
    let commands = try await transaction.query(
      """
      SELECT format('ALTER %s %s OWNER TO %I', o.kind, o.name, \(owner)) FROM (\(fragment: objects)) AS o
        JOIN pg_roles AS r ON r.oid = o.owner
      WHERE r.rolname <> \(owner) AND (r.rolname = \(role.name) OR r.rolsuper AND \(role.isSuperuser))
      ORDER BY o.rank, o.name
      """
    ).decode(String.self)
    if !commands.isEmpty { try await transaction.script(commands.joined(separator: ";\n")) }
  }

  /// The owner creates schemas.
  static func letCreate(_ role: Migrating, _ transaction: Transaction) async throws {
    guard role.hasOwner else { return }
    let (database, mayCreate, mayGrant) = try await transaction.query(
      """
      SELECT quote_ident(d.datname), has_database_privilege(\(owner), d.oid, 'CREATE'),
        pg_has_role(current_user, d.datdba, 'USAGE')
      FROM pg_database AS d WHERE d.datname = current_database()
      """
    ).one(String.self, Bool.self, Bool.self)
    if mayCreate { return }
    guard mayGrant else {
      throw EngineError(
        .notAllowed,
        "\(owner) cannot create schemas in this database: GRANT CREATE ON DATABASE \(database) TO \(owner)")
    }
    try await transaction.execute("GRANT CREATE ON DATABASE \(raw: database) TO \(raw: owner)")
  }

  /// The objects in the product's schemas that have an owner: kind as ALTER names it, name, owner, and the order to
  /// move in. Tables come before the views that read them and the functions that run with their owner's rights.
  private static let objects: Statement = """
    WITH ours AS (SELECT n.oid, n.nspname, n.nspowner FROM pg_namespace AS n WHERE n.nspname = ANY(\(schemas)))
    SELECT 'schema' AS kind, quote_ident(n.nspname) AS name, n.nspowner AS owner, 1 AS rank FROM ours AS n
    UNION ALL
    SELECT CASE c.relkind WHEN 'c' THEN 'type' ELSE 'table' END, c.oid::regclass::text, c.relowner,
      CASE WHEN c.relkind IN ('r', 'p', 'f') THEN 2 ELSE 3 END
    FROM pg_class AS c JOIN ours AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'c')
      OR c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_depend AS d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
    UNION ALL
    SELECT 'type', t.oid::regtype::text, t.typowner, 3 FROM pg_type AS t JOIN ours AS n ON n.oid = t.typnamespace
    WHERE t.typtype IN ('d', 'e', 'r')
    UNION ALL
    SELECT 'routine', p.oid::regprocedure::text, p.proowner, 4 FROM pg_proc AS p JOIN ours AS n ON n.oid = p.pronamespace
    """
}
