@testable import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

/// Three nodes, a server that behaves badly at every step, and nodes that die with calls in their hands.
@Suite("Leased jobs under attack", .timeLimit(.minutes(3))) struct LeaseCampaignTests {
  /// The items that are called at this moment, by any node.
  private final class Calls: Sendable {
    private let state = Mutex((open: Set<Int64>(), overlaps: [Int64](), count: 0))

    func begin(_ id: Int64) {
      state.withLock { state in
        state.count += 1
        if !state.open.insert(id).inserted { state.overlaps.append(id) }
      }
    }

    func end(_ id: Int64) { state.withLock { _ = $0.open.remove(id) } }

    var overlaps: [Int64] { state.withLock { $0.overlaps } }
  }

  @Test(arguments: [1, 2, 3])
  func `leased jobs call each item once at a time, complete all, and account for each call`(seed: UInt64)
    async throws
  {
    let random = Mutex(SeededGenerator(seed: seed))
    @Sendable func draw(_ bound: Int) -> Int { random.withLock { Int.random(in: 0..<bound, using: &$0) } }
    let acts: [ForeignServer.Act] = [.answer, .answer, .answer, .refuse, .dieBefore, .dieAfter, .hang, .answerLate]
    let isCalm = Mutex(false)
    let server = try await ForeignServer { _, _ in isCalm.withLock { $0 } ? .answer : acts[draw(acts.count)] }
    let errands = try await Errands(24)
    let calls = Calls()
    var job = ErrandJob(port: server.port)
    job.limits = LeaseLimits(callsMax: 4, call: .milliseconds(150), lease: .seconds(60))
    job.onCall = { id in calls.begin(id) }
    job.onEnd = { id in calls.end(id) }
    var runs = 0
    func node() -> Errands.Node {
      runs += 1
      return errands.node(job, name: "run-\(runs)")
    }
    var nodes = [node(), node(), node()]
    for round in 1...12 {
      let dying = draw(3)
      let (victim, others) = (nodes[dying], nodes.indices.filter { $0 != dying }.map { nodes[$0] })
      await withThrowingTaskGroup(of: Void.self) { group in
        for other in others { group.addTask { _ = try await other.turn() } }
        // The victim's sessions end while its calls continue: their results are never written.
        group.addTask {
          _ = await victim.runner.runDue(until: StopFlag(), due: .zero)
          if round % 2 == 0 { await victim.pool.close(within: .zero) }
          await victim.runner.finish()
        }
        while (try? await group.next()) != nil {}
      }
      if round % 2 == 0 { nodes[dying] = node() }
      for other in nodes { other.clock.advance(by: .seconds(draw(40))) }
      try await errands.endBackoff()
      try await errands.session.execute("UPDATE settled.failure SET attempts = 1, quarantined = false")
    }
    // Calm: all abandoned work is taken over and done.
    isCalm.withLock { $0 = true }
    server.release()
    let last = nodes
    try await untilTrue("the end of all errands") {
      for node in last {
        node.clock.advance(by: .seconds(61))
        try await node.turn()
      }
      try await errands.endBackoff()
      return try await errands.session.query("SELECT bool_and(done) FROM errand").one(Bool.self)
    }
    #expect(calls.overlaps.isEmpty)
    #expect(try await errands.isClean)
    #expect(try await errands.session.query("SELECT count(*) FROM errand WHERE written <> 1").one(Int64.self) == 0)
    // A failure, a late answer or a lost node explains each call beyond those that were written.
    let unexplained = try await errands.session.query(
      "SELECT id, written + late + failed + abandoned FROM errand"
    ).decode(Int64.self, Int32.self).filter { server.done("\($0)") > Int($1) }
    #expect(unexplained.isEmpty)
  }
}
