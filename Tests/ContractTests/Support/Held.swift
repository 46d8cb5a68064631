import Postgres
import TestSupport
import Testing

extension Course {
  /// Runs `lock` in a transaction until every call waits for a lock, then `meanwhile` there, and ends it.
  ///
  /// Each call has its own connection, as the app or as `role`. Returns how each of them ended, in their order.
  func calls(
    _ calls: [String], as role: SettledDatabase.Role = .app, heldBy lock: String, meanwhile: String = "SELECT 1",
    commit: Bool = true
  ) async throws -> [String] {
    let holder = try await database.connect()
    var connections: [Connection] = []
    for _ in calls { connections.append(try await database.connect(role)) }
    let running = try await holder.transaction(commit: commit) { transaction in
      try await transaction.run(lock)
      let running = zip(connections, calls).map { connection, call in
        Task { try await outcome { try await connection.run(call) } }
      }
      for connection in connections { try await awaitLock(of: connection.backendPID) }
      try await transaction.run(meanwhile)
      return running
    }
    var outcomes: [String] = []
    for task in running { outcomes.append(try await task.value) }
    return outcomes
  }

  private func awaitLock(of pid: Int32) async throws {
    try await untilTrue("a lock that the call waits for") {
      try await session.query(
        "SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event_type = 'Lock'"
      ).count == 1
    }
  }
}
