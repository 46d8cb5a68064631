import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("Reads in the round trip of a claim", .timeLimit(.minutes(2))) struct ClaimedReadsTests {
  /// Chores whose reads need their keys alone. A read fails where the purse has -1 pence.
  private struct ReadJob: TwoStepJob {
    let chores = ChoreJob()
    /// Whether the first batch reads with its claim.
    var readsAtOnce = true
    /// Whether the read of chore 1 ends its session.
    var isFatal = false
    var name: String { chores.name }
    var largestBatch: Int { chores.largestBatch }
    var source: DueSource { chores.source }

    static func read(_ keys: BatchKeys, isFatal: Bool = false) -> Statement {
      """
      SELECT c.id FROM chore AS c JOIN purse AS p ON p.id = c.purse
      WHERE c.id = ANY(\(fragment: keys.array)) AND NOT c.done AND 1 / (p.pence + 1) >= 0
        AND CASE WHEN \(isFatal) AND c.id = 1 AND c.id = ANY(\(fragment: keys.array))
          THEN pg_terminate_backend(pg_backend_pid()) ELSE true END
      """
    }

    func reads(_ keys: BatchKeys) -> [Statement] { readsAtOnce ? [Self.read(keys, isFatal: isFatal)] : [] }

    func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] {
      try await transaction.query(Self.read(.these(keys), isFatal: isFatal)).decode(Int64.self)
    }

    func gather(
      _ keys: [Int64], from answers: [Rows], at now: Timestamp, in transaction: Transaction
    ) async throws -> [Int64] {
      readsAtOnce ? try answers[0].decode(Int64.self) : try await gather(keys, at: now, in: transaction)
    }

    func key(of chore: Int64) -> Int64 { chore }

    func apply(_ done: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
      try await chores.apply(done, at: now, in: transaction)
    }
  }

  /// One run over all due chores, and the number of its round trips.
  private func run(_ chores: Chores, readsAtOnce: Bool = true) async throws -> (RunOutcome, trips: Int) {
    let trips = Mutex(0)
    var options = chores.database.options(.owner)
    options.onRoundTrip = { trips.withLock { $0 += 1 } }
    let pool = Pool(options: options, size: 2, waitTimeout: .seconds(20), maximumWaiters: 100)
    let runner = JobRunner(ReadJob(readsAtOnce: readsAtOnce), in: chores.context(in: pool))
    // A first run opens the sessions.
    _ = await runner.runDue(until: StopFlag(), due: .zero)
    try await chores.add(101...103)
    trips.withLock { $0 = 0 }
    let outcome = await runner.runDue(until: StopFlag(), due: .zero)
    await runner.finish()
    return (outcome, trips.withLock { $0 })
  }

  @Test func `the first batch of a run needs one round trip less`() async throws {
    let (atOnce, apart) = (try await Chores(1), try await Chores(1))
    let (outcome, trips) = try await run(atOnce)
    #expect(outcome.items == 3)
    #expect(try await atOnce.undone == [])
    #expect(try await run(apart, readsAtOnce: false).trips == trips + 1)
  }

  @Test func `a run that starts before its instant claims at the instant`() async throws {
    let chores = try await Chores(1, hasRealClock: true)
    let context = chores.context()
    let runner = JobRunner(ReadJob(), in: context)
    // The first run opens the sessions, so the next one is at the server before its instant.
    _ = await runner.runDue(until: StopFlag(), due: .zero)
    let now = context.time.now()
    let due = try await chores.session.query(
      """
      INSERT INTO chore (id, purse, due_at) VALUES (2, 1, clock_timestamp() + interval '40 ms') RETURNING due_at
      """
    ).one(Timestamp.self)
    await runner.announce(ComingWork(runner.name, due: now + .milliseconds(40), serverDue: due))
    #expect(await runner.runDue(until: StopFlag(), due: now + .milliseconds(40)).items == 1)
    #expect(try await chores.undone == [])
    await runner.finish()
  }

  @Test func `each of many items is done once, in batches that read with and after their claims`() async throws {
    let chores = try await Chores(90)
    #expect(try await run(chores).0.items == 3)
    #expect(try await chores.undone == [])
    #expect(try await chores.session.query("SELECT count(*) FROM purse WHERE pence = 1").one(Int64.self) == 93)
  }

  @Test(arguments: [Int64(1), 7])
  func `an item whose read fails is recorded once, and the others are done`(poison: Int64) async throws {
    let chores = try await Chores(9)
    try await chores.session.execute("UPDATE purse SET pence = -1 WHERE id = \(poison)")
    let runner = JobRunner(ReadJob(), in: chores.context())
    _ = await runner.runDue(until: StopFlag(), due: .zero)
    #expect(try await chores.undone == [poison])
    let failures = try await chores.failures
    #expect(failures.map(\.0) == ["\(poison)"] && failures.map(\.1) == [1] && failures.map(\.3) == ["22012"])
  }

  @Test func `an item whose read ends every session holds up no other`() async throws {
    let chores = try await Chores(12)
    let runner = JobRunner(ReadJob(isFatal: true), in: chores.context())
    for _ in 0..<60 where try await chores.undone != [1] {
      _ = await runner.runDue(until: StopFlag(), due: .zero)
      await runner.finish()
    }
    #expect(try await chores.undone == [1])
    #expect(try await chores.failures.isEmpty)
  }

  /// The keys that a claim locks, and those that its read finds.
  private func answers(to request: LockRequest<Int64>, from chores: Chores) async throws -> [[Int64]] {
    let answers = try await chores.pool.transaction { transaction in
      try await transaction.pipeline([ReadJob().lock(request), ReadJob.read(.claimed)])
    }
    return try answers.map { rows in try rows.decode(Int64.self) }
  }

  @Test func `the reads see the claimed items only, and nothing without a claim`() async throws {
    let chores = try await Chores(3)
    let holder = try await chores.database.connect()
    let locked = LockRequest<Int64>(limit: 2, remembersKeys: true)
    try await holder.transaction { other in
      _ = try await other.query("SELECT FROM chore WHERE id = 1 FOR UPDATE")
      #expect(try await answers(to: locked, from: chores) == [[2, 3], [2, 3]])
    }
    let nothing = LockRequest<Int64>(limit: 0, textLimit: 1, remembersKeys: true)
    #expect(try await answers(to: nothing, from: chores) == [[], []])
    // The keys end with their transaction: a read without a claim fails.
    await #expect(throws: PostgresError.self) {
      _ = try await chores.pool.transaction { try await $0.query(ReadJob.read(.claimed)) }
    }
  }
}
