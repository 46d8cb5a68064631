import Postgres

/// The roles that privileges are granted to. Roles belong to the whole cluster: two databases may migrate at once.
enum Roles {
  static let names = ["settled_daemon": true, "settled_app": false, "settled_reader": false, "settled_schedule": true]

  static let all = names.keys.sorted()

  /// Creates the missing ones; throws `EngineError.notAllowed` where this user may not.
  static func create(_ connection: Connection) async throws {
    for (name, logsIn) in names.sorted(by: { $0.key < $1.key }) {
      do {
        try await create(name, logsIn: logsIn, connection)
      } catch let error as PostgresError where error.sqlState == "42501" {
        throw EngineError(
          .notAllowed,
          "this database user may not create the role \(name): create it first, or run settled migrate --no-roles")
      }
    }
  }

  private static func create(_ name: String, logsIn: Bool, _ connection: Connection) async throws {
    let exists: Statement = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = \(name))"
    if try await connection.query(exists).one(Bool.self) { return }
    // Another database's migrator may be quicker: then there is nothing left to do.
    try await connection.script(
      """
      DO $$ BEGIN
        CREATE ROLE \(name) \(logsIn ? "LOGIN" : "NOLOGIN");
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$
      """)
  }
}
