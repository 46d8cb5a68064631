import Postgres
import TestSupport
import Testing

/// A database, and a connection to it.
func connected(
  _ change: (inout ConnectionOptions) -> Void = { _ in }
) async throws -> (database: TestDatabase, connection: Connection) {
  let database = try await TestCluster.shared.database()
  var options = database.options
  change(&options)
  return (database, try await Connection.connect(options))
}

/// Looks every 2 ms until `condition` holds; a test that waits longer than 20 s fails.
nonisolated(nonsending) func eventually(
  _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
  let limit = ContinuousClock.now + .seconds(20)
  while ContinuousClock.now < limit {
    if try await condition() { return }
    try await pauseBetweenLooks()
  }
  Issue.record(what, sourceLocation: sourceLocation)
}

/// Waits until that backend waits for something of the kind, for example `Lock` or `Timeout`.
func awaitBackend(_ pid: Int32, waitsFor kind: String, seenBy observer: Connection) async throws {
  try await eventually("the backend does not wait for \(kind)") {
    try await observer.query(
      "SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event_type = \(kind)"
    ).count == 1
  }
}

/// The error that `body` throws.
func failure<R>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
) async throws -> PostgresError {
  let error = await #expect(throws: PostgresError.self, sourceLocation: sourceLocation) { _ = try await body() }
  return try #require(error, sourceLocation: sourceLocation)
}
