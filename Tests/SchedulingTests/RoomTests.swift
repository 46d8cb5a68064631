import ControlAPI
import Operations
@testable import Engine
@testable import Scheduling
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Places for runs") struct RoomTests {
  /// Fourteen operators' schedules of every minute whose runs last until they are cancelled.
  private func fixture() async throws -> ScheduleFixture {
    let own = BuiltInSchedule("own", cron: "* * * * *") { _, _, _ in 1 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [own])
    try await fixture.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE FUNCTION ops.long() RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(600)';
      CREATE FUNCTION ops.quick() RETURNS void LANGUAGE sql AS '';
      """)
    for number in 0..<14 {
      try await fixture.ask(
        "schedule.add",
        [
          "name": .text("long-\(number)"), "cron": .text("* * * * *"), "call": .text("ops.long"),
          "timeout": .text("10m"),
        ])
    }
    return fixture
  }

  private static let sleeping: Statement = """
    SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
    """

  @Test func `operators' long runs leave places for built-in ones, and full places are reported`()
    async throws
  {
    let fixture = try await fixture()
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    let (planner, operators, own) = (fixture.system.works[0], fixture.system.works[1], fixture.system.works[2])
    let planned = await planner.runDue(until: StopFlag(), due: .zero)
    #expect(planned.items == 15 && planned.ready == [operators.name, own.name])
    let outcome = await operators.runDue(until: StopFlag(), due: .zero)
    #expect(outcome.items == 12 && outcome.isFull)
    try await untilTrue("twelve runs") { try await fixture.owner.query(Self.sleeping).count == 12 }
    let again = await operators.runDue(until: StopFlag(), due: .zero)
    #expect(again.items == 0 && again.isFull)
    try await own.runAllDue()
    await own.finish()
    #expect(try await fixture.rows("own") == ["03-29T12:01:00 ran"])
    // Two places become free, and the two that waited take them.
    try await fixture.owner.execute("SELECT pg_cancel_backend(pid) FROM (\(fragment: Self.sleeping) LIMIT 2) AS s")
    let failed: Statement = "SELECT count(*) FROM settled.occurrence WHERE status = 'failed'"
    try await untilTrue("two failures") { try await fixture.owner.query(failed).one(Int64.self) == 2 }
    try await untilTrue("twelve runs again") { try await fixture.owner.query(Self.sleeping).count == 12 }
    try await fixture.owner.execute("UPDATE settled.schedule SET paused = true")
    try await fixture.owner.execute("SELECT pg_cancel_backend(pid) FROM (\(fragment: Self.sleeping)) AS s")
    await operators.room()
    await operators.finish()
  }

  /// A work with as much room as the test gives it.
  private final class Narrow: Work {
    let name = "narrow"
    let isListed = false
    let nextDue = "SELECT settled.clock()"
    private let turns = Mutex(0)
    private let rooms: AsyncStream<Void>
    let open: AsyncStream<Void>.Continuation

    init() { (rooms, open) = AsyncStream.makeStream() }

    var count: Int { turns.withLock { $0 } }

    func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
      turns.withLock { $0 += 1 }
      var outcome = RunOutcome(items: 0)
      outcome.isFull = true
      return outcome
    }

    func room() async { for await _ in rooms { return } }
    func pruneResolvedFailures(_ session: Connection) async throws {}
    func overdue(_ session: Connection) async throws -> Int64 { 0 }
    func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }
    func recoverFromCrash() async {}
  }

  @Test func `full places for runs are asked for again only when one is free`() async throws {
    let narrow = Narrow()
    var workload = Workload([.init(name: narrow.name)], options: SchedulerOptions(node: "n", version: "v"))
    func started(_ second: Int) -> [String] {
      workload.plan(.init(snapshot: .due([narrow.name]), seen: .seconds(second)), mayClaim: true).start
    }
    #expect(started(0) == [narrow.name])
    let outcome = await narrow.runDue(until: StopFlag(), due: .zero)
    workload.ended(narrow.name, outcome, now: .zero, draw: { 0 })
    for second in 1...100 { #expect(started(second) == []) }
    let unpolled = workload.start([narrow.name])
    #expect(unpolled.isEmpty && !workload.isBusy)
    narrow.open.yield()
    await narrow.room()
    workload.roomy(narrow.name)
    #expect(started(101) == [narrow.name])
  }
}
