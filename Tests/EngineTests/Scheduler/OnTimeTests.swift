import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Work that falls due while the node asks the database", .timeLimit(.minutes(2))) struct OnTimeTests {
  /// Work that is due once, at the instant in its table; counts the sessions that wait for the other table meanwhile.
  private final class PunctualWork: Work {
    let name = "punctual"
    let nextDue = "SELECT min(at) FROM public.punctual"
    let isListed = false
    let waiting = Mutex<[Int64]>([])
    private let database: SettledDatabase

    init(_ database: SettledDatabase) { self.database = database }

    func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
      do {
        let session = try await database.connect()
        let count = try await session.query(
          "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'public.locked'::regclass"
        ).one(Int64.self)
        try await session.execute("DELETE FROM public.punctual")
        await session.close()
        waiting.withLock { $0.append(count) }
        return RunOutcome(items: 1)
      } catch {
        return RunOutcome(items: 0, interruption: error)
      }
    }

    func overdue(_ session: Connection) async throws -> Int64 { 1 }
    func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }
    func pruneResolvedFailures(_ session: Connection) async throws {}
    func recoverFromCrash() async {}
  }

  /// Work that is never due; a poll reads its table.
  private struct RestingWork: Work {
    let name = "resting"
    let nextDue = "SELECT min(at) FROM public.locked"
    let isListed = false

    func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome { RunOutcome(items: 0) }
    func overdue(_ session: Connection) async throws -> Int64 { 0 }
    func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }
    func pruneResolvedFailures(_ session: Connection) async throws {}
    func recoverFromCrash() async {}
  }

  @Test func `work starts at its instant while a poll waits for a locked table`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    // Business time stands still, so a poll expects the instant three seconds after itself.
    try await owner.script(
      """
      CREATE TABLE locked (at timestamptz);
      CREATE TABLE punctual (at timestamptz);
      INSERT INTO punctual SELECT settled.clock() + interval '3 s';
      GRANT SELECT ON locked, punctual TO settled_daemon;
      """)
    var options = database.options(.daemon)
    options.lockTimeout = .seconds(60)
    options.statementTimeout = .seconds(60)
    let pool = Pool(options: options, size: 6, waitTimeout: .seconds(20), maximumWaiters: 100)
    let punctual = PunctualWork(database)
    let polls = Mutex(0)
    let scheduler = Scheduler(
      pool: pool, works: [punctual, RestingWork()], options: SchedulerOptions(node: "one", version: "1"),
      time: TestTime.host, clockGuard: ClockGuard(time: TestTime.host)
    ) { observation in
      if case .polled = observation { polls.withLock { $0 += 1 } }
    }
    let listener = Listener(options: database.options(.daemon), channels: [Scheduler.channel])
    async let end: Void = scheduler.run(listener: listener, admit: { _ in })
    try await untilTrue("a poll") { polls.withLock { $0 > 0 } }
    try await owner.script("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
    scheduler.wake()
    try await untilTrue("the work at its instant") { punctual.waiting.withLock { !$0.isEmpty } }
    try await owner.script("COMMIT")
    #expect(punctual.waiting.withLock { $0 } == [1])
    scheduler.stop()
    try await end
    await pool.close()
  }
}
