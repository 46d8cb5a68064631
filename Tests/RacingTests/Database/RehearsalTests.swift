@testable import Engine
import Postgres
import Racing
import TestSupport
import Testing

@Suite("Rehearsals before work falls due", .timeLimit(.minutes(1))) struct RehearsalTests {
  let database: SettledDatabase
  let owner: Connection
  /// One session, so that what is prepared in it is known.
  let pool: Pool
  let context: JobContext

  init() async throws {
    database = try await SettledDatabase.simulated()
    owner = try await database.connect()
    pool = Pool(options: database.options(.daemon), size: 1, waitTimeout: .seconds(20), maximumWaiters: 100)
    context = database.context(pool, time: nil) { _ in }
  }

  /// What the session has prepared. A claim from several parts has the size of its batch in its text: any size is one.
  private var prepared: Set<String> {
    get async throws {
      let statements = try await pool.withConnection {
        try await $0.query("SELECT statement FROM pg_prepared_statements").decode(String.self)
      }
      return Set(
        statements.filter { !$0.contains("pg_prepared_statements") }.map { $0.replacing(/LIMIT \d+/, with: "LIMIT n") })
    }
  }

  private var written: [Int64] {
    get async throws {
      try await owner.query(
        """
        SELECT (SELECT count(*) FROM racing.settlement) AS settlements, (SELECT count(*) FROM racing.payout) AS payouts,
          (SELECT count(*) FROM settled.event_pending) AS events, (SELECT count(*) FROM racing.journal) AS journals,
          (SELECT count(*) FROM settled.failure) AS failures
        """
      ).decode(Int64.self, Int64.self, Int64.self, Int64.self, Int64.self).flatMap { [$0.0, $0.1, $0.2, $0.3, $0.4] }
    }
  }

  @Test func `a settlement after its rehearsal prepares no statement, and the rehearsal has written nothing`()
    async throws
  {
    let races = try await Herd(races: 3, entries: 5).write(owner)
    let before = try await written
    let runner = JobRunner(SettlementJob(), in: context)
    await runner.announce(ComingWork(runner.name, due: .zero))
    await runner.rehearsal?.value
    let rehearsed = try await prepared
    #expect(try await written == before)
    let outcome = await runner.runDue(until: StopFlag())
    #expect(outcome.items == races.count && outcome.interruption == nil)
    let new = try await prepared.subtracting(rehearsed)
    #expect(new == [], "\(new)")
    await runner.finish()
    await pool.close()
  }

  @Test func `each lane has a session with plans after the rehearsal`() async throws {
    let pool = Pool(options: database.options(.daemon), size: 3, waitTimeout: .seconds(20), maximumWaiters: 100)
    let runner = JobRunner(SettlementJob(), in: database.context(pool, time: nil) { _ in })
    await runner.announce(ComingWork(runner.name, due: .zero))
    await runner.rehearsal?.value
    let count: Statement = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%racing.settlement%'"
    let counts: [Int64] = try await pool.withConnection { first in
      let one = try await first.query(count).one(Int64.self)
      return [one, try await pool.withConnection { try await $0.query(count).one(Int64.self) }]
    }
    #expect(counts[0] > 0 && counts[1] == counts[0], "\(counts)")
    await runner.finish()
    await pool.close()
  }

  @Test func `a run after its rehearsal rehearses again where a second item needs another lane`() async throws {
    let pool = Pool(options: database.options(.daemon), size: 3, waitTimeout: .seconds(20), maximumWaiters: 100)
    let context = database.context(pool, time: nil) { _ in }
    let runner = JobRunner(SettlementJob(), in: context)
    _ = await runner.runDue(until: StopFlag())
    let due = context.time.now() + .seconds(30)
    await runner.announce(ComingWork(runner.name, due: due, following: due + .seconds(30)))
    #expect(await runner.rehearsal == nil)
    await runner.announce(ComingWork(runner.name, due: due, following: due + .milliseconds(5)))
    #expect(await runner.rehearsal != nil)
    await runner.finish()
    await pool.close()
  }

  @Test func `a race's end after its rehearsal prepares no statement`() async throws {
    let races = try await Herd(races: 1, entries: 5).write(owner, status: "active")
    let runner = JobRunner(LifecycleJob(), in: context)
    await runner.announce(ComingWork(runner.name, due: .zero))
    await runner.rehearsal?.value
    let rehearsed = try await prepared
    #expect(await runner.runDue(until: StopFlag()).items == races.count)
    // It asks for the uploads of athletes whose races have ended, where there are such races.
    let new = try await prepared.subtracting(rehearsed)
    #expect(new == ["SELECT racing.request_imports($1)"], "\(new)")
    await runner.finish()
    await pool.close()
  }

  @Test func `a node that comes second does not rehearse, nor one that has worked within the last minute`() async throws
  {
    let runner = JobRunner(SettlementJob(), in: context)
    let now = context.time.now()
    await runner.announce(ComingWork(runner.name, due: now + .seconds(30), rank: 1))
    await runner.announce(ComingWork("another", due: now + .seconds(30)))
    #expect(await runner.rehearsal == nil)
    _ = await runner.runDue(until: StopFlag())
    await runner.announce(ComingWork(runner.name, due: context.time.now() + .seconds(30)))
    #expect(await runner.rehearsal == nil)
    await runner.announce(ComingWork(runner.name, due: context.time.now() + .seconds(90)))
    #expect(await runner.rehearsal != nil)
    await runner.finish()
    await pool.close()
  }
}
