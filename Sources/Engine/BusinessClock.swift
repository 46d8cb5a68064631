package import Postgres

/// The clock that decides when work falls due: `settled.clock()`.
package enum BusinessClock {
  /// Reads it again. Its value advances within a transaction, so a decision made after a lock wait uses the time after
  /// the wait.
  package static func read(_ session: some Session) async throws(PostgresError) -> Timestamp {
    try await session.query("SELECT settled.clock()").one(Timestamp.self)
  }
}
