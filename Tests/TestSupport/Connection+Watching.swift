package import Postgres

extension Connection {
  /// Waits until all of these races are settled.
  package func waitUntilSettled(_ races: [Int64], within limit: Duration = .seconds(60)) async throws {
    let open: Statement = "SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status <> 'settled'"
    try await untilTrue("the settlement of \(races.count) races", within: limit) {
      try await query(open).one(Int64.self) == 0
    }
  }

  /// Ends the sessions of an application in this database, as an administrator would; returns how many.
  @discardableResult
  package func endSessions(of application: String) async throws -> Int64 {
    try await query(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = \(application) AND datname = current_database()
      """
    ).one(Int64.self)
  }
}

extension Connection {
  /// Waits until no session of an application is left in this database: what dead processes held is free then.
  package func waitUntilGone(_ application: String) async throws {
    let sessions: Statement = """
      SELECT count(*) FROM pg_stat_activity WHERE application_name = \(application) AND datname = current_database()
      """
    try await untilTrue("the end of all sessions of \(application)") { try await query(sessions).one(Int64.self) == 0 }
  }
}
