import Postgres
import TestSupport
import Testing

@testable import Engine

@Suite("How long a migration waits for a lock") struct MigrationWaitTests {
  /// The server's own, and what a migrator that may wait 200 ms then waits.
  @Test(arguments: [("1s", "200ms"), ("100ms", "50ms"), ("1ms", "1ms")])
  func `a migration gives way before the server would end an app for a deadlock`(timeout: String, wait: String)
    async throws
  {
    let session = try await SettledDatabase.simulated().connect()
    try await session.transaction { transaction in
      try await transaction.execute("SELECT set_config('deadlock_timeout', \(timeout), true)")
      _ = try await transaction.query(MigrationLocks.shorten("lock_timeout", to: .milliseconds(200)))
      #expect(try await transaction.query("SHOW lock_timeout").one(String.self) == wait)
    }
  }
}
