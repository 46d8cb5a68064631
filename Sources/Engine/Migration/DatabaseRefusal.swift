package import Postgres

/// A property of a database that prevents work in it, with any schema.
package enum DatabaseRefusal {
  package static let encodingRemedy = "dump the data, run createdb --encoding UTF8 --template template0, and restore it"

  package static func any(_ session: some Session) async throws -> EngineError? {
    if let refusal = try await encoding(session) { return refusal }
    return try await replicaRole(session)
  }

  /// An encoding other than UTF8 cannot store some names, or accepts bytes that are not text.
  package static func encoding(_ session: some Session) async throws -> EngineError? {
    let encoding = try await session.query(MigrationStatements.encoding).one(String.self)
    return encoding == "UTF8" ? nil : EngineError(.encoding, "the database uses \(encoding), not UTF8")
  }

  /// In a session with this setting triggers do not fire and foreign keys are not checked.
  private static func replicaRole(_ session: some Session) async throws -> EngineError? {
    guard try await session.query(MigrationStatements.isReplica).one(Bool.self) else { return nil }
    return EngineError(
      .replicaRole,
      """
      session_replication_role is replica in this session, so triggers do not fire and foreign keys are not checked: \
      RESET it for the database and the role (ALTER DATABASE, ALTER ROLE), and in postgresql.conf
      """)
  }
}
