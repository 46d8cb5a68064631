import Postgres

/// How a call ended: `ok`, or SQLSTATE and rule.
func outcome(_ call: () async throws -> Void) async throws -> String {
  do {
    try await call()
    return "ok"
  } catch let error as PostgresError {
    guard let state = error.sqlState, let rule = error.detail?.firstMatch(of: /"rule": "([^"]*)"/)?.1 else {
      throw error
    }
    return "\(state) \(rule)"
  }
}
