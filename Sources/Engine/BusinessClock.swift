package import Postgres

/// The clock by which things fall due: `settled.clock()`.
package enum BusinessClock {
  /// Reads it anew: its value moves within a transaction, so that what waited for a
  /// lock is judged by the time after it.
  package static func read(_ session: some Session) async throws(PostgresError) -> Timestamp {
    try await session.query("SELECT settled.clock()").one(Timestamp.self)
  }
}
