package import Postgres

/// What forbids work in a database of any schema.
package enum DatabaseRefusal {
  package static let encodingRemedy = "dump the data, createdb --encoding UTF8 --template template0, and restore them"

  package static func any(_ session: some Session) async throws -> EngineError? {
    if let refusal = try await encoding(session) { return refusal }
    return try await replicaRole(session)
  }

  /// Another encoding than UTF8 has no place for some names, or takes bytes that are no text.
  package static func encoding(_ session: some Session) async throws -> EngineError? {
    let encoding = try await session.query(MigrationStatements.encoding).one(String.self)
    return encoding == "UTF8" ? nil : EngineError(.encoding, "the database is in \(encoding), not in UTF8")
  }

  /// A session with this setting fires no trigger and checks no foreign key.
  private static func replicaRole(_ session: some Session) async throws -> EngineError? {
    guard try await session.query(MigrationStatements.isReplica).one(Bool.self) else { return nil }
    return EngineError(
      .replicaRole,
      """
      session_replication_role is replica in this session, so no trigger fires and no foreign key is checked: \
      RESET it for the database and the role (ALTER DATABASE, ALTER ROLE), and in postgresql.conf
      """)
  }
}
