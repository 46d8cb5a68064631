import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A failing item", .timeLimit(.minutes(2)))
struct FailureTests {
  private struct Poison: Error, CustomStringConvertible {
    let description = "poison"
  }

  private static let poison = "ALTER TABLE chore ADD CONSTRAINT poison CHECK (NOT done OR id <> 3)"

  @Test func `a failing item is recorded with its SQLSTATE and without values, and the others are done`() async throws {
    let chores = try await Chores(20)
    try await chores.session.script(Self.poison)
    try await JobRunner(ChoreJob(), in: chores.context()).runAllDue()
    #expect(try await chores.undone == [3])
    let failures = try await chores.failures
    #expect(failures.count == 1)
    let failure = try #require(failures.first)
    #expect(failure.0 == "3" && failure.1 == 1 && !failure.2 && failure.3 == "23514")
    #expect(failure.4.contains("poison") && !failure.4.contains("(3"), "\(failure.4)")
  }

  @Test func `a failing item is retried after growing pauses, five times in all, and again on request`()
    async throws
  {
    let chores = try await Chores(4)
    try await chores.session.script(Self.poison)
    var context = chores.context()
    context.retries.backoff = Backoff(first: .seconds(60), factor: 2, longest: .seconds(300))
    let runner = JobRunner(ChoreJob(), in: context)
    var pauses: [Int64] = []
    for attempt in 1...Int64(5) {
      try await runner.runAllDue()
      try await runner.runAllDue()  // Backing off: not tried.
      #expect(try await chores.failures.map(\.1) == [attempt])
      #expect(try await chores.failures.map(\.2) == [attempt == 5])
      pauses += try await chores.session.query(
        "SELECT extract(epoch FROM next_attempt_at - last_at)::bigint FROM settled.failure"
      ).decode(Int64.self)
      try await chores.endBackoff()
    }
    #expect(pauses == [60, 120, 240, 300, 300])
    #expect(try await runner.runAllDue() == 0)
    try await chores.session.script("ALTER TABLE chore DROP CONSTRAINT poison")
    #expect(try await runner.runAllDue() == 0)
    try await chores.session.execute("UPDATE settled.failure SET quarantined = false, attempts = 0")
    #expect(try await runner.runAllDue() == 1)
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.failures.isEmpty)
  }

  @Test func `an attempt that was counted counts once more where an operator has cleared it meanwhile`() async throws {
    let chores = try await Chores(1)
    let error = FailureText(text: "it failed")
    let policy = RetryPolicy()
    let counted = FailureStatements.record(job: "chores", keys: ["1"], error: error, counted: true, policy: policy)
    _ = try await chores.session.query(counted)
    try await chores.session.execute("UPDATE settled.failure SET attempts = 0, quarantined = false")
    let (attempts, quarantined) = try await chores.session.query(counted).one(Int64.self, Bool.self)
    #expect(attempts == 1 && !quarantined)
    let pause: Statement = "SELECT next_attempt_at - last_at = interval '1 second' FROM settled.failure"
    #expect(try await chores.session.query(pause).one(Bool.self))
  }

  @Test func `an item whose decision throws fails alone`() async throws {
    let chores = try await Chores(20)
    var context = chores.context()
    context.beforeDecision = { _, key in if key == "3" { throw Poison() } }
    try await JobRunner(ChoreJob(), in: context).runAllDue()
    #expect(try await chores.undone == [3])
    let failure = try #require(try await chores.failures.first)
    #expect(failure.0 == "3" && failure.1 == 1 && failure.3 == nil && failure.4 == "poison")
  }

  @Test func `an item that takes too long alone counts as a failed attempt`() async throws {
    let chores = try await Chores(20, statementTimeout: .seconds(2))
    try await chores.session.script(
      """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE UPDATE ON chore FOR EACH ROW WHEN (NEW.id = 3) EXECUTE FUNCTION slow();
      """)
    try await JobRunner(ChoreJob(), in: chores.context()).runAllDue()
    #expect(try await chores.undone == [3])
    let failure = try #require(try await chores.failures.first)
    #expect(failure.0 == "3" && failure.1 == 1 && failure.3 == "57014")
  }

  @Test(arguments: ["57P01", "40P01", "40001", "53100"])
  func `an item is not blamed for a lost connection, contention or lack of resources`(sqlState: String) async throws {
    let chores = try await Chores(20)
    var options = chores.pool.options
    let isArmed = Mutex(true)
    options.beforeStatement = { statement in
      guard statement.sql.hasPrefix("UPDATE chore"), isArmed.withLock({ $0 }) else { return }
      isArmed.withLock { $0 = false }
      throw PostgresError(.server, "injected", sqlState: sqlState)
    }
    let pool = Pool(options: options, size: 4, waitTimeout: .seconds(5), maximumWaiters: 10)
    let runner = JobRunner(ChoreJob(), in: chores.database.context(pool))
    _ = await runner.runDue(until: StopFlag(), due: .zero)
    #expect(try await chores.failures.isEmpty)
    _ = await runner.runDue(until: StopFlag(), due: .zero)
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.failures.isEmpty)
    await pool.close()
  }
}
