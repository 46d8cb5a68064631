@testable import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A leased job", .timeLimit(.minutes(2))) struct LeasedJobTests {
  @Test func `a leased job calls once for each item on any node, and returns its leases`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(30)
    let nodes = ["a", "b", "c"].map { errands.node(ErrandJob(port: server.port), name: $0) }
    try await withThrowingTaskGroup { group in
      for node in nodes { group.addTask { while try await node.turn() > 0 {} } }
      try await group.waitForAll()
    }
    #expect(server.requests == 30)
    let once: Statement = "SELECT count(*) FROM errand WHERE done AND written = 1 AND reply = 1 AND late + failed = 0"
    #expect(try await errands.session.query(once).one(Int64.self) == 30)
    #expect(try await errands.leases == 0)
  }

  @Test(arguments: [ForeignServer.Act.refuse, .dieBefore, .dieAfter])
  func `a failed call counts against its item, which waits, and the others continue`(act: ForeignServer.Act)
    async throws
  {
    let server = try await ForeignServer { key, request in key == "2" && request <= 4 ? act : .answer }
    let errands = try await Errands(4)
    let node = errands.node(ErrandJob(port: server.port))
    #expect(try await node.turn() == 4)
    let text = act == .refuse ? ForeignError.refused.description : ForeignError.lost.description
    #expect(try await errands.failures == ["2 1 \(text)"])
    #expect(try await errands.errand(2) == [0, 0, 0, 1, 0])
    #expect(try await node.turn() == 0, "it is not tried before its time")
    try await errands.endBackoff()
    #expect(try await node.turn() == 1)
    #expect(try await errands.errand(2) == [1, 1, 0, 1, 0])
    #expect(try await errands.isClean)
    #expect(server.done("2") == (act == .dieAfter ? 2 : 1))
  }

  @Test func `a call fails at its time limit; while it runs on it keeps place and lease, and its answer counts`()
    async throws
  {
    let server = try await ForeignServer { key, _ in key == "1" ? .answerLate : .answer }
    let errands = try await Errands(1)
    var job = ErrandJob(port: server.port)
    job.limits = LeaseLimits(callsMax: 1, call: .milliseconds(200), lease: .seconds(60))
    // The call does not heed its cancellation.
    var deaf = ChangedErrandJob(job)
    deaf.onCall = { [job] id in try await Task { try await job.call(id, under: 0) }.value }
    let runner = LeasedRunner(deaf, in: errands.database.context(errands.node(job).pool))
    #expect(await runner.runDue(until: StopFlag(), due: .zero).isFull)
    await runner.finish()
    #expect(try await errands.failures == ["1 1 no response within 200 ms"])
    #expect(try await errands.errand(1) == [0, 0, 0, 1, 0])
    try await errands.endBackoff()
    let full = await runner.runDue(until: StopFlag(), due: .zero)
    #expect(full.items == 0 && full.isFull, "the call keeps its place")
    #expect(try await errands.node(job, name: "b").turn() == 0, "and its lease")
    server.release()
    await runner.room()
    #expect(try await errands.errand(1) == [1, 1, 0, 1, 0])
    #expect(try await errands.isClean)
  }

  @Test
  func
    `of a node that died is taken over by one that has seen its lease unchanged for its length, and by its own clock`()
    async throws
  {
    let server = try await ForeignServer { _, request in request == 1 ? .hang : .answer }
    let errands = try await Errands(1)
    let (dead, heir) = (
      errands.node(ErrandJob(port: server.port), name: "dead"), errands.node(ErrandJob(port: server.port), name: "heir")
    )
    #expect(await dead.runner.runDue(until: StopFlag(), due: .zero).items == 1)
    try await untilTrue("the call") { server.requests == 1 }
    // No session of it answers any more, and what it still wants to write does not come through.
    await dead.pool.close(within: .zero)
    #expect(try await heir.turn() == 0)
    // The lease's age by the server's clock makes no difference.
    try await errands.session.execute("UPDATE settled.lease SET taken_at = taken_at - interval '1 year'")
    heir.clock.advance(by: .seconds(59))
    #expect(try await heir.turn() == 0)
    #expect(try await errands.errand(1) == [0, 0, 0, 0, 0])
    #expect(try await errands.leases == 1)
    heir.clock.advance(by: .seconds(2))
    #expect(try await heir.turn() == 1)
    #expect(try await errands.errand(1) == [0, 0, 0, 0, 1])
    #expect(try await errands.failures == ["1 1 the node that was working on this item stopped or hung"])
    try await errands.endBackoff()
    #expect(try await heir.turn() == 1)
    #expect(try await errands.errand(1) == [1, 1, 0, 0, 1])
    #expect(try await errands.isClean)
    server.release()
  }

  @Test func `a leased job of a node that slept makes no late call, and a reply without a lease comes late`()
    async throws
  {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(2)
    let sleeper = Mutex<Errands.Node?>(nil)
    var job = ErrandJob(port: server.port)
    job.limits = LeaseLimits(callsMax: 1, call: .seconds(5), lease: .seconds(60))
    job.onPrepare = { sleeper.withLock { $0 }?.clock.advance(by: .seconds(56)) }
    let node = errands.node(job)
    sleeper.withLock { $0 = node }
    #expect(try await node.turn() == 1)
    #expect(server.requests == 0)
    #expect(try await errands.isClean)
    // 2. Its lease is taken away while it calls.
    job.onPrepare = {}
    let session = errands.session
    job.onCall = { id in _ = try? await session.execute("DELETE FROM settled.lease WHERE key = \("\(id)")") }
    #expect(try await errands.node(job).turn() == 1)
    let late = try await errands.errand(1)
    #expect(late == [0, 0, 1, 0, 0])
    #expect(try await errands.isClean)
  }

  @Test func `a leased job writes its reply when the database is back`() async throws {
    let server = try await ForeignServer { _, _ in .answerLate }
    let errands = try await Errands(3)
    let node = errands.node(ErrandJob(port: server.port), name: "cut")
    #expect(await node.runner.runDue(until: StopFlag(), due: .zero).items == 3)
    try await untilTrue("the calls") { server.requests == 3 }
    let other = try await SettledDatabase.real().connect()
    let name = errands.database.database.name
    try await other.execute("ALTER DATABASE \(raw: name) ALLOW_CONNECTIONS false")
    try await errands.session.endSessions(of: "cut")
    server.release()
    // The first attempt to write has failed when the pool has found its sessions dead.
    try await untilTrue("an attempt in vain") { await node.pool.statistics.connectsFailed > 0 }
    try await other.execute("ALTER DATABASE \(raw: name) ALLOW_CONNECTIONS true")
    await node.runner.finish()
    for id in 1...Int64(3) { #expect(try await errands.errand(id) == [1, 1, 0, 0, 0]) }
    #expect(try await errands.leases == 0)
  }

  @Test func `a leased job pauses while the peer refuses everybody, counts nothing, and probes with one call`()
    async throws
  {
    let isClosed = Mutex(true)
    let server = try await ForeignServer { _, _ in isClosed.withLock { $0 } ? .refuseAll : .answer }
    let errands = try await Errands(6)
    let node = errands.node(ErrandJob(port: server.port))
    #expect(try await node.turn() == 4)
    var workload = Workload([.init(name: "errand")], options: SchedulerOptions(node: "a", version: "1"))
    var pauses: [Duration] = []
    for round in 1...5 {
      let told = await node.runner.runDue(until: StopFlag(), due: .zero)
      #expect(told.interruption is ForeignError && server.requests == 3 + round)
      workload.ended("errand", told, now: .zero, draw: { 0 })
      let poll = NodeMachine.Poll(snapshot: .due(["errand"]), seen: .zero)
      pauses.append(workload.plan(poll, mayClaim: true).coming["errand"]?.dueIn ?? .zero)
      // The next call, once the pause is over, says nothing of the interruption yet.
      let probe = await node.runner.runDue(until: StopFlag(), due: .zero)
      #expect(probe.items == 1 && probe.isFull && probe.isInconclusive)
      workload.ended("errand", probe, now: .zero, draw: { 0 })
      workload.roomy("errand")
      await node.runner.finish()
    }
    #expect(pauses == [1, 2, 4, 8, 16].map { .seconds($0) })
    _ = await node.runner.runDue(until: StopFlag(), due: .zero)
    #expect(try await errands.isClean)
    isClosed.withLock { $0 = false }
    #expect(try await node.turn() == 1)
    #expect(try await node.turn() == 2, "those that met the refusal come last")
    #expect(try await node.turn() == 3)
    #expect(server.requests == 15)
    #expect(try await errands.isClean)
  }

  @Test func `a leased job that declares it runs with a wrong clock, and a pause still stops it`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(2)
    try await errands.session.execute(
      "INSERT INTO settled.clock_hold (node, since, difference_milliseconds) VALUES ('x', now(), 1)")
    var job = ErrandJob(port: server.port)
    job.limits = LeaseLimits(callsMax: 1, call: .seconds(5), lease: .seconds(60))
    #expect(try await errands.node(job).turn() == 0)
    func isPolled() async throws -> Bool {
      let statement = DueSnapshot.statement(of: [errands.node(job).runner])
      return try await DueSnapshot(errands.session.query(statement)).items["errand"]?.dueIn != nil
    }
    #expect(try await !isPolled())
    job.ignoresClockStop = true
    #expect(try await isPolled())
    #expect(try await errands.node(job).turn() == 1)
    try await errands.session.execute("INSERT INTO settled.job (name, paused) VALUES ('errand', true)")
    #expect(try await !isPolled())
    #expect(try await errands.node(job).turn() == 0)
    #expect(server.requests == 1)
  }

  @Test func `a leased job calls within its budget, and reports remaining items`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(9)
    try await errands.session.script(
      "SELECT settled.declare_setting('errand.calls', 'whole', '5', 0, 100, 'How many calls in an hour.')")
    var job = ErrandJob(port: server.port)
    job.budget = CallBudget("errands", [.init(.seconds(3600), limit: "errand.calls")])
    let node = errands.node(job)
    #expect(try await node.turn() == 4)
    #expect(try await node.turn() == 1)
    let outcome = await errands.node(job, name: "b").runner.runDue(until: StopFlag(), due: .zero)
    #expect(outcome.items == 0)
    #expect((outcome.retryIn ?? .zero) > .zero && (outcome.retryIn ?? .zero) <= .seconds(3600))
    #expect(server.requests == 5)
    #expect(try await errands.isClean)
  }
}
