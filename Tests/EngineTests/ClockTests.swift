import Engine
import Postgres
import TestSupport
import Testing

@Suite("The business clock") struct ClockTests {
  private func read(_ session: Connection) async throws -> Timestamp {
    try await BusinessClock.read(session)
  }

  private func refusal(_ session: Connection, _ instant: String) async -> PostgresError? {
    await #expect(throws: PostgresError.self) {
      try await session.execute("SELECT settled.set_clock(\(instant)::text::timestamptz)")
    }
  }

  @Test func `a new database with a simulated clock starts at its time, and a plain migration keeps it`()
    async throws
  {
    let database = try await TestCluster.shared.database()
    let first = try await database.migrate(Migrator(simulatesClock: true))
    #expect(first.isSimulated)
    let session = try await database.connect()
    let made = try await read(session)
    #expect(try await database.migrate().isSimulated)
    #expect(try await database.migrate(Migrator(simulatesClock: true)).isSimulated)
    #expect(try await read(session) == made)
  }

  @Test func `a database with a real clock keeps it, even if a simulated one is asked for`() async throws {
    let database = try await TestCluster.shared.database()
    #expect(try await database.migrate().isSimulated == false)
    let error = await #expect(throws: EngineError.self) {
      _ = try await database.migrate(Migrator(MigrationFixture.later(), simulatesClock: true))
    }
    #expect(error?.code == .realClock)
    #expect(try await MigrationFixture.state(of: database).refusal == nil)
    let session = try await database.connect()
    let differs: Statement = "SELECT abs(extract(epoch FROM settled.clock() - clock_timestamp())) < 1"
    #expect(try await session.query(differs).one(Bool.self))
    #expect(await refusal(session, "2041-01-01T00:00:00Z")?.sqlState == "SD403")
  }

  @Test func `the server waits for an instant that is a moment ahead, and for none further away`() async throws {
    let session = try await SettledDatabase.real().connect()
    let replies = try await session.pipeline([
      "SELECT set_config('test.instant', (clock_timestamp() + interval '20 ms')::text, false)",
      "SELECT settled.wait_until(current_setting('test.instant')::timestamptz)",
      "SELECT clock_timestamp() >= current_setting('test.instant')::timestamptz",
    ])
    #expect(try replies[2].one(Bool.self))
    // A wait for it would exceed the time limit of a statement.
    try await session.execute("SELECT settled.wait_until(clock_timestamp() + interval '1 day')")
  }

  @Test func `the simulated clock stands or runs from its set time, and never goes back`() async throws {
    let database = try await SettledDatabase.simulated()
    let session = try await database.connect()
    try await session.execute("SELECT settled.set_clock('2041-05-06T07:08:09Z')")
    let standing = try await read(session)
    #expect("\(standing)".hasPrefix("2041-05-06T07:08:09"))
    try await session.execute("SELECT pg_sleep(0.01)")
    #expect(try await read(session) == standing)
    let error = await refusal(session, "2041-05-06T07:08:08Z")
    #expect(error?.sqlState == "SD400")
    #expect(try await read(session) == standing)

    try await session.execute("SELECT settled.set_clock('2041-05-06T07:08:09Z', true)")
    let running = try await read(session)
    try await session.execute("SELECT pg_sleep(0.01)")
    let later = try await read(session)
    #expect(running >= standing)
    #expect(later.microseconds - running.microseconds >= 10_000)
    #expect(later.microseconds - standing.microseconds < 60_000_000)
  }

  @Test func `the simulated clock moves within a transaction, as the time after a lock must`() async throws {
    let database = try await SettledDatabase.real()
    let session = try await database.connect()
    let (first, second) = try await session.transaction { transaction in
      let first = try await BusinessClock.read(transaction)
      try await transaction.execute("SELECT pg_sleep(0.002)")
      return (first, try await BusinessClock.read(transaction))
    }
    #expect(second.microseconds - first.microseconds >= 2000)
  }
}
