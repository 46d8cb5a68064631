import Postgres

/// The roles that privileges are granted to. Roles belong to the whole cluster: two databases may migrate at once.
enum Roles {
  static let names = [
    Ownership.owner: false, "settled_daemon": true, "settled_app": false, "settled_reader": false,
    "settled_schedule": true, "settled_gateway": true,
  ]

  /// The settings of a role that serves the network, kept even behind a pooling proxy; source:
  /// Gateway.docc/Transactions.md.
  private static let limits = [
    "settled_gateway": [
      "statement_timeout": "5s", "lock_timeout": "2s", "idle_in_transaction_session_timeout": "5s",
    ]
  ]

  /// Settings that only a superuser may change: errors, which unprivileged users can trigger at will, leave one line in
  /// the server's log.
  private static let quiet = [
    "settled_gateway": ["log_min_error_statement": "panic", "log_error_verbosity": "terse"]
  ]

  static let all = names.keys.sorted()

  /// Creates the missing ones; throws `EngineError.notAllowed` if this user may not.
  static func create(_ connection: Connection) async throws {
    for (name, logsIn) in names.sorted(by: { $0.key < $1.key }) {
      do {
        try await create(name, logsIn: logsIn, connection)
      } catch let error as PostgresError where error.isDenied {
        throw EngineError(
          .notAllowed,
          "this database user is not allowed to create the role \(name): create it first, or run "
            + "settled migrate --no-roles")
      }
    }
  }

  private static func create(_ name: String, logsIn: Bool, _ connection: Connection) async throws {
    let exists: Statement = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = \(name))"
    if try await connection.query(exists).one(Bool.self) { return }
    // Another database's migrator may have been quicker: then nothing is left to do.
    try await connection.script(
      """
      DO $$ BEGIN
        CREATE ROLE \(name) \(logsIn ? "LOGIN" : "NOLOGIN");
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$
      """)
  }

  /// Gives the login roles the product's session settings, and their own limits, in this database.
  ///
  /// Behind a proxy that pools transactions, a statement outside a transaction has only these settings. Without the
  /// privilege nothing changes.
  static func fixSettings(_ transaction: Transaction) async throws {
    let database = try await transaction.query("SELECT quote_ident(current_database())").one(String.self)
    let isSuperuser = try await transaction.query("SELECT current_setting('is_superuser') = 'on'").one(Bool.self)
    for (role, logsIn) in names.sorted(by: { $0.key < $1.key }) where logsIn {
      let known = try await settings(of: role, transaction)
      var wanted = ConnectionOptions.pinned.merging(limits[role] ?? [:]) { $1 }
      if isSuperuser { wanted.merge(quiet[role] ?? [:]) { $1 } }
      for (name, value) in wanted.sorted(by: { $0.key < $1.key }) where known[name] != value {
        let list = value.split(separator: ", ").map { "'\($0)'" }.joined(separator: ", ")
        try await transaction.execute(
          "ALTER ROLE \(raw: role) IN DATABASE \(raw: database) SET \(raw: name) = \(raw: list)")
      }
    }
  }

  /// The settings of a role in this database, by name.
  private static func settings(of role: String, _ session: some Session) async throws -> [String: String] {
    let rows = try await session.query(
      """
      SELECT lower(split_part(c.setting, '=', 1)), substr(c.setting, strpos(c.setting, '=') + 1)
      FROM pg_db_role_setting AS s JOIN pg_roles AS r ON r.oid = s.setrole, unnest(s.setconfig) AS c(setting)
      WHERE r.rolname = \(role)
        AND s.setdatabase = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
      """
    ).decode(String.self, String.self)
    return Dictionary(rows.map { ($0.0, $0.1) }) { $1 }
  }
}
