import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Lanes of a job", .timeLimit(.minutes(2))) struct LaneTests {
  /// Chores in lanes. The first two batches of more than eight meet: each waits for the other.
  private struct LaneJob: TwoStepJob {
    let chores = ChoreJob()
    let traffic: Traffic
    /// Runs while a batch of this chore alone works.
    var whileFirst: @Sendable () async throws -> Void = {}
    var name: String { chores.name }
    var largestBatch: Int { chores.largestBatch }
    var source: DueSource { chores.source }
    let usesLanes = true

    func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] {
      traffic.enter()
      if keys.count > 8 { await traffic.meet() }
      if keys == [1] { try await whileFirst() }
      return try await chores.gather(keys, at: now, in: transaction)
    }

    func key(of chore: Int64) -> Int64 { chore }

    func apply(_ done: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
      try await chores.apply(done, at: now, in: transaction)
      traffic.leave()
    }
  }

  /// The batches at work.
  private final class Traffic: Sendable {
    private let storage: Mutex<(now: Int, most: Int, met: Int, waiting: CheckedContinuation<Void, Never>?)>
    private let whenMet: @Sendable () -> Void

    /// `meets`: whether batches wait for another lane; `whenMet` runs before they continue.
    init(meets: Bool, whenMet: @escaping @Sendable () -> Void = {}) {
      storage = Mutex((0, 0, meets ? 0 : 2, nil))
      self.whenMet = whenMet
    }

    var most: Int { storage.withLock { $0.most } }

    func enter() { storage.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func leave() { storage.withLock { $0.now -= 1 } }

    func meet() async {
      await withCheckedContinuation { continuation in
        let ready = storage.withLock { state -> [CheckedContinuation<Void, Never>] in
          state.met += 1
          guard state.met <= 2 else { return [continuation] }
          defer { state.waiting = continuation }
          return state.waiting.map { [$0, continuation] } ?? []
        }
        if ready.count == 2 { whenMet() }
        for each in ready { each.resume() }
      }
    }
  }

  private func runner(_ chores: Chores, _ traffic: Traffic, lanes: Int = 2, failing: ClosedRange<Int64>? = nil)
    -> JobRunner<LaneJob>
  {
    var context = chores.context()
    context.lanes = lanes
    context.batchTarget = .seconds(60)
    context.beforeDecision = { _, key in
      if let key = Int64(key), failing?.contains(key) == true { throw ChoreError() }
    }
    return JobRunner(LaneJob(traffic: traffic), in: context)
  }

  private struct ChoreError: Error {}

  @Test(arguments: [Duration.milliseconds(50), nil])
  func `an item that falls due while a batch works is done before the batch ends`(following: Duration?) async throws {
    let chores = try await Chores(2)
    let measured = Atomic<Int>(0)
    let context = chores.context { observation in
      if case .batch(_, _, _, .some) = observation { measured.add(1, ordering: .relaxed) }
    }
    let runner = JobRunner(
      LaneJob(traffic: Traffic(meets: false)) {
        try await untilTrue("the second chore is done") { try await chores.undone == [1] }
      }, in: context)
    let now = context.time.now()
    await runner.announce(ComingWork(runner.name, due: now, following: following.map { now + $0 }))
    let outcome = await runner.runDue(until: StopFlag(), due: now)
    #expect(outcome.items == 2 && outcome.interruption == nil)
    #expect(try await chores.undone == [])
    // An item that was expected is measured from its instant.
    #expect(measured.load(ordering: .relaxed) == (following == nil ? 1 : 2))
  }

  private func pence(_ chores: Chores) async throws -> [Int64] {
    try await chores.session.query("SELECT DISTINCT pence FROM purse").decode(Int64.self)
  }

  @Test func `two lanes work on batches at once, and no item is done twice`() async throws {
    let chores = try await Chores(200)
    let traffic = Traffic(meets: true)
    #expect(try await runner(chores, traffic).runAllDue() == 200)
    #expect(try await chores.undone == [])
    #expect(try await pence(chores) == [1])
    #expect(traffic.most == 2)
  }

  @Test func `one lane never has two batches, nor has a job with few items`() async throws {
    let (many, few) = (try await Chores(200), try await Chores(9))
    let traffic = Traffic(meets: false)
    try await runner(many, traffic, lanes: 1).runAllDue()
    try await runner(few, traffic, lanes: 4).runAllDue()
    #expect(try await many.undone == [])
    #expect(try await few.undone == [])
    #expect(traffic.most == 1)
  }

  @Test func `items that fail are blamed once each, whichever lane claims them`() async throws {
    let chores = try await Chores(200)
    let runner = runner(chores, Traffic(meets: true), failing: 20...180)
    for _ in 0..<2 { try await runner.runAllDue() }
    #expect(try await chores.undone == Array(20...180))
    let attempts = try await chores.failures.map(\.1)
    #expect(attempts == Array(repeating: 1, count: 161))
  }

  @Test func `a run ends after its lanes, and claims nothing more once it is stopped`() async throws {
    let chores = try await Chores(1000)
    let stop = StopFlag()
    let outcome = await runner(chores, Traffic(meets: true) { stop.request() }).runDue(until: stop, due: .zero)
    #expect(outcome.items == 1 + 8 + 64 + 64)
    #expect(try await chores.undone.count == 1000 - outcome.items)
  }

  @Test func `one lane works after an unclean exit`() async throws {
    let chores = try await Chores(200)
    let traffic = Traffic(meets: false)
    let runner = runner(chores, traffic, lanes: 4)
    await runner.recoverFromCrash()
    #expect(try await runner.runAllDue() == 200)
    #expect(traffic.most == 1)
  }
}
