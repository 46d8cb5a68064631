import Engine
import Postgres
import TestSupport
import Testing

@Suite("Functions applied while apps write") struct MigrationDeadlockTests {
  @Test(arguments: [("racing.posting", "settled.audit"), ("settled.audit", "racing.posting")])
  func `an app that deadlocks with the migrator's functions succeeds`(held: String, wanted: String)
    async throws
  {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let app = try await database.connect()
    // Sooner than by default, and later than the migrator has given up.
    try await app.execute("SET deadlock_timeout = '700ms'")
    try await app.execute("BEGIN")
    try await app.execute("LOCK TABLE \(raw: held) IN ROW EXCLUSIVE MODE")
    async let migrated = database.migrate(Migrator(MigrationFixture.laterFunctions))
    let watcher = try await database.connect()
    let backend = try await app.backend()
    try await watcher.untilBlocked(by: backend)
    try await app.execute("LOCK TABLE \(raw: wanted) IN ROW EXCLUSIVE MODE")
    try await app.execute("COMMIT")
    #expect(try await migrated.functionsChanged)
  }
}
