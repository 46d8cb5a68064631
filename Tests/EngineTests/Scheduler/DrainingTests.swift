import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A node that drains") struct DrainingTests {
  /// Work that is always due and never done: it continues until it must claim no more.
  private final class Endless: Work {
    let name = "endless"
    let nextDue = "SELECT timestamptz 'epoch'"
    let isListed = false
    let turns = Mutex((begun: 0, ended: 0))

    func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
      turns.withLock { $0.begun += 1 }
      while !stopFlag.isRequested { await Task.yield() }
      turns.withLock { $0.ended += 1 }
      return RunOutcome(items: 1)
    }

    func overdue(_ session: Connection) async throws -> Int64 { 1 }
    func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }
    func pruneResolvedFailures(_ session: Connection) async throws {}
    func recoverFromCrash() async {}
  }

  @Test func `a draining node ends its claimed work, and resumes when it is undrained`() async throws {
    let database = try await SettledDatabase.simulated()
    let pool = database.pool()
    let work = Endless()
    let time = TestTime.host
    let clockGuard = ClockGuard(time: time)
    let scheduler = Scheduler(
      pool: pool, works: [work], options: SchedulerOptions(node: "one", version: "1"), time: time,
      clockGuard: clockGuard,
      observe: { _ in })
    let listener = Listener(options: database.options(.daemon), channels: [Scheduler.channel])
    async let end: Void = scheduler.run(listener: listener, admit: { _ in })
    try await untilTrue("work") { work.turns.withLock { $0.begun == 1 } }
    scheduler.drain()
    try await untilTrue("the end of that work") { work.turns.withLock { $0.ended == 1 } }
    #expect(work.turns.withLock { $0.begun == 1 })
    scheduler.undrain()
    try await untilTrue("work again") { work.turns.withLock { $0.begun == 2 } }
    scheduler.stop()
    try await end
    #expect(work.turns.withLock { $0.ended == 2 })
  }
}
