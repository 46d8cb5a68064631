package import Postgres

extension Connection {
  /// The server process of this connection.
  package nonisolated func backend() async throws -> Int32 {
    try await query("SELECT pg_backend_pid()").one(Int32.self)
  }

  /// Looks, on this connection, until so many others wait for a lock that `holder` holds.
  package nonisolated func untilBlocked(_ count: Int64 = 1, by holder: Int32) async throws {
    try await untilTrue("\(count) waiting for back end \(holder)") {
      let waiting = try await query(
        "SELECT count(*) FROM pg_stat_activity AS a WHERE \(holder) = ANY(pg_blocking_pids(a.pid))"
      ).one(Int64.self)
      return waiting >= count
    }
  }
}
