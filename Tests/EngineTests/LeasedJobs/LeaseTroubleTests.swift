@testable import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

/// One bad item, one bad peer, one bad moment of the database: none of them may stop, starve or lose anything else.
@Suite("A leased job in trouble", .timeLimit(.minutes(2))) struct LeaseTroubleTests {
  private struct Refused: Error {}

  @discardableResult
  private func turn<J: LeasedJob>(_ runner: LeasedRunner<J>) async -> RunOutcome {
    let outcome = await runner.runDue(until: StopFlag(), due: .zero)
    await runner.finish()
    return outcome
  }

  private func done(_ errands: Errands) async throws -> Int64 {
    try await errands.session.query("SELECT count(*) FROM errand WHERE done").one(Int64.self)
  }

  @Test func `a leased job continues with other items when one always meets the peer's general refusal`() async throws {
    let server = try await ForeignServer { key, _ in key == "1" ? .refuseAll : .answer }
    let errands = try await Errands(6)
    let node = errands.node(ErrandJob(port: server.port))
    for _ in 1...8 { await turn(node.runner) }
    #expect(try await done(errands) == 5)
    #expect(try await errands.failures.isEmpty)
  }

  @Test func `an item that cannot be prepared fails, and a leased job calls the others`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(6)
    var job = ChangedErrandJob(ErrandJob(port: server.port))
    job.onPrepare = { if $0.contains(1) { throw Refused() } }
    let runner = LeasedRunner(job, in: errands.database.context(errands.node(job.job).pool))
    for _ in 1...4 { await turn(runner) }
    #expect(try await done(errands) == 5)
    #expect(try await errands.failures == ["1 1 Refused()"])
    #expect(try await errands.leases == 0)
  }

  @Test func `a leased job calls the items behind those that are not ready, and these later`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(8)
    try await errands.session.script(
      """
      CREATE TABLE unready AS SELECT n::bigint AS id FROM generate_series(1, 4) AS n;
      GRANT SELECT ON unready TO settled_daemon;
      """)
    var job = ErrandJob(port: server.port)
    job.condition = "NOT EXISTS (SELECT FROM unready AS u WHERE u.id = errand.id)"
    let node = errands.node(job)
    for _ in 1...4 { await turn(node.runner) }
    #expect(server.requests == 4)
    try await errands.session.execute("DELETE FROM unready")
    for _ in 1...3 { await turn(node.runner) }
    #expect(try await done(errands) == 8)
  }

  @Test func `a call that cancels itself counts as a failure`() async throws {
    let errands = try await Errands(1)
    let calls = Mutex(0)
    var job = ChangedErrandJob(ErrandJob(port: 1))
    job.onCall = { _ in
      calls.withLock { $0 += 1 }
      throw CancellationError()
    }
    let runner = LeasedRunner(job, in: errands.database.context(errands.node(job.job).pool))
    for _ in 1...5 { await turn(runner) }
    #expect(calls.withLock { $0 } == 1)
    #expect(try await errands.failures == ["1 1 the call was cancelled"])
  }

  @Test func `a leased job calls its claimed items although a lost lease cannot be removed`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(6)
    try await errands.session.execute(
      "INSERT INTO settled.lease (job, key, owner, taken_at) VALUES ('errand', '1', 'dead', now())")
    var job = ChangedErrandJob(ErrandJob(port: server.port))
    job.onAbandoned = { throw Refused() }
    let clock = BootClock()
    let pool = errands.node(job.job).pool
    let runner = LeasedRunner(job, in: errands.database.context(pool, time: clock.time))
    await turn(runner)
    clock.advance(by: .seconds(62))
    let refused = await turn(runner)
    #expect(refused.interruption is Refused && refused.items == 1)
    #expect(try await done(errands) == 5)
    #expect(try await errands.leases == 1)
  }

  @Test func `a leased job keeps watching leases during a batch with an item that cannot be prepared`() async throws {
    let errands = try await Errands(2)
    try await errands.session.script(
      """
      INSERT INTO settled.lease (job, key, owner, taken_at) VALUES ('errand', '1', 'dead', now());
      UPDATE errand SET done = true WHERE id = 2;
      """)
    var job = ChangedErrandJob(ErrandJob(port: 1))
    job.onPrepare = { _ in throw Refused() }
    let clock = BootClock()
    let pool = errands.node(job.job).pool
    let runner = LeasedRunner(job, in: errands.database.context(pool, time: clock.time))
    await turn(runner)
    clock.advance(by: .seconds(31))
    try await errands.session.execute("UPDATE errand SET done = false WHERE id = 2")
    await turn(runner)
    #expect(try await errands.failures == ["2 1 Refused()"])
    clock.advance(by: .seconds(31))
    #expect(await turn(runner).items == 1)
    #expect(try await errands.errand(1) == [0, 0, 0, 0, 1])
  }

  @Test func `a leased job returns a lease of its own run without a call at once`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(1)
    let node = errands.node(ErrandJob(port: server.port), name: "own")
    try await errands.session.execute(
      "INSERT INTO settled.lease (job, key, owner, taken_at) VALUES ('errand', '1', 'own', now())")
    #expect(try await node.turn() == 1)
    #expect(try await node.turn() == 1)
    #expect(try await errands.errand(1) == [1, 1, 0, 0, 0])
  }

  @Test func `a leased job keeps a reply that the installation refuses for a moment`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(2)
    let refusals = Mutex(0)
    var job = ErrandJob(port: server.port)
    let session = errands.session
    job.onCall = { _ in _ = try? await session.execute("REVOKE UPDATE ON errand FROM settled_daemon") }
    let context = errands.database.context(
      errands.node(job).pool, observe: { if case .contention = $0 { refusals.withLock { $0 += 1 } } })
    let runner = LeasedRunner(job, in: context)
    #expect(await runner.runDue(until: StopFlag(), due: .zero).items == 2)
    try await untilTrue("refusals of both") { refusals.withLock { $0 } > 3 }
    try await session.execute("GRANT UPDATE ON errand TO settled_daemon")
    await runner.finish()
    #expect(try await done(errands) == 2)
    #expect(try await errands.isClean)
  }

  @Test func `a reply that the database refuses for good is reported as lost, and not counted as done`()
    async throws
  {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(1)
    try await errands.session.script("ALTER TABLE errand ADD CONSTRAINT odd CHECK (reply <> 1)")
    let said = Mutex<[String]>([])
    let job = ErrandJob(port: server.port)
    let context = errands.database.context(
      errands.node(job).pool, observe: { one in said.withLock { $0.append("\(one)") } })
    await turn(LeasedRunner(job, in: context))
    #expect(said.withLock { $0.contains { $0.hasPrefix("warning") && $0.contains("a reply could not be written") } })
    #expect(said.withLock { !$0.contains { $0.hasPrefix("batch") } })
    #expect(try await errands.failures.count == 1)
  }

  @Test func `a leased job observes a back-off that another node wrote after its claim began`() async throws {
    let server = try await ForeignServer { _, _ in .refuse }
    let errands = try await Errands(1)
    try await errands.session.script(
      """
      CREATE FUNCTION gate() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_lock_shared(7); PERFORM pg_advisory_unlock_shared(7); RETURN true; END $$;
      """)
    var slow = ChangedErrandJob(ErrandJob(port: server.port))
    slow.source = DueSource("errand", key: "id", [.init(at: "t.due_at", where: "NOT t.done AND gate()")])
    let holder = try await errands.database.connect()
    try await holder.execute("SELECT pg_advisory_lock(7)")
    var context = errands.database.context(errands.node(slow.job, name: "slow").pool)
    context.lockWait = .seconds(30)
    let runner = LeasedRunner(slow, in: context)
    let waiting = Task { await turn(runner) }
    try await untilTrue("the slow claim") {
      try await errands.session.query("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        .one(Bool.self)
    }
    #expect(try await errands.node(slow.job, name: "quick").turn() == 1)
    try await holder.execute("SELECT pg_advisory_unlock(7)")
    #expect(await waiting.value.items == 0)
    #expect(server.requests == 1)
  }

  @Test func `a leased job makes no second call beside its own, and does not wait for its place at the end`()
    async throws
  {
    let server = try await ForeignServer { _, _ in .answerLate }
    let errands = try await Errands(2)
    var job = ChangedErrandJob(ErrandJob(port: server.port))
    job.limits = LeaseLimits(callsMax: 2, call: .milliseconds(100), lease: .seconds(2))
    job.onCall = { [errand = job.job] id in try await Task { try await errand.call(id, under: 0) }.value }
    let clock = BootClock()
    try await errands.session.execute("UPDATE errand SET done = true WHERE id = 2")
    let pool = errands.node(job.job).pool
    let runner = LeasedRunner(job, in: errands.database.context(pool, time: clock.time))
    for _ in 1...4 {
      await turn(runner)
      try await errands.endBackoff()
      clock.advance(by: .seconds(9))
    }
    #expect(server.requests == 1)
    // Both places are taken: who waits for one is let go when the daemon ends.
    try await errands.session.execute("UPDATE errand SET done = false WHERE id = 2")
    #expect(await runner.runDue(until: StopFlag(), due: .zero).isFull)
    let room = Task { await runner.room() }
    try await untilTrue("the second call") { server.requests == 2 }
    await runner.finish()
    await room.value
    #expect(await runner.runDue(until: StopFlag(), due: .zero).isFull)
    server.release()
    await runner.room()
  }

  @Test func `a leased job asks a spent budget again within a minute, because a limit may be raised`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(3)
    try await errands.session.script(
      "SELECT settled.declare_setting('errand.calls', 'whole', '1', 0, 100, 'How many calls in a day.')")
    var job = ErrandJob(port: server.port)
    job.budget = CallBudget("errands", [.init(.seconds(86400), limit: "errand.calls")])
    let node = errands.node(job)
    await turn(node.runner)
    let spent = await turn(node.runner)
    #expect(spent.items == 0 && (spent.retryIn ?? .zero) <= .seconds(60))
    try await errands.session.execute("SELECT settled.set('errand.calls', '3')")
    await turn(node.runner)
    #expect(server.requests == 3)
  }

  @Test func `a leased job calls for other items while locked rows keep replies from being written`()
    async throws
  {
    let server = try await ForeignServer { _, _ in .answerLate }
    let errands = try await Errands(6)
    let node = errands.node(ErrandJob(port: server.port))
    #expect(await node.runner.runDue(until: StopFlag(), due: .zero).items == 4)
    try await untilTrue("four calls") { server.requests == 4 }
    let other = try await errands.database.connect()
    try await other.transaction { holding in
      _ = try await holding.query("SELECT id FROM errand WHERE id <= 4 FOR UPDATE")
      server.release()
      try await untilTrue("the calls for the others") {
        _ = await node.runner.runDue(until: StopFlag(), due: .zero)
        return server.requests == 6
      }
      try await untilTrue("their replies") { try await done(errands) == 2 }
    }
    await node.runner.finish()
    #expect(try await done(errands) == 6)
    #expect(try await errands.isClean)
  }
}
