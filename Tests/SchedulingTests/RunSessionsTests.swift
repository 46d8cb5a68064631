import ControlAPI
import Operations
@testable import Engine
@testable import Scheduling
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Sessions of operators' runs") struct RunSessionsTests {
  private static let open: Statement = """
    SELECT pid::bigint FROM pg_stat_activity WHERE usename = 'settled_schedule' AND datname = current_database()
    ORDER BY 1
    """

  /// A clock that stands until it is moved, on which short naps are over at once, and long ones when they are ended.
  private final class Naps: Sendable {
    private let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    let taken = Mutex<[Duration]>([])
    private let now = Mutex<Duration>(.zero)

    init() { (ends, end) = AsyncStream.makeStream() }

    func endLongOne(at instant: Duration) {
      now.withLock { $0 = instant }
      end.yield()
    }

    var time: Timekeeper {
      Timekeeper(
        now: { self.now.withLock { $0 } }, boot: { .zero }, bootId: "b", wall: { Timestamp(microseconds: 0) },
        sleep: { [self] duration in
          taken.withLock { $0.append(duration) }
          guard duration > .seconds(20) else { return }
          for await _ in ends { return }
        }, draw: { 0 })
    }
  }

  private func sessions(_ database: SettledDatabase, _ time: Timekeeper) -> RunSessions {
    let options = ConnectionOptions(url: OperatorRun.url(from: database.url(.daemon)))
    return RunSessions(OperatorRun(options: options).session, time: time)
  }

  private static let run = ClaimedOccurrence(
    schedule: "s", instant: Timestamp(microseconds: 0), call: nil, timeout: .seconds(1),
    claimedAt: Timestamp(microseconds: 0), due: .zero, began: .zero, attempt: 1, backend: nil)

  @Test func `run sessions open shortly before they are needed, and close at the age of a minute`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let naps = Naps()
    let sessions = sessions(database, naps.time)
    await sessions.expect(at: .seconds(12), others: 0) { 3 }
    try await untilTrue("three sessions") { await sessions.count == 3 }
    #expect(try await owner.query(Self.open).count == 3)
    #expect(naps.taken.withLock { $0.first } == .milliseconds(10_500))
    let taken = await sessions.take(2)
    #expect(taken.count == 2)
    naps.endLongOne(at: .seconds(60))
    try await untilTrue("the end of the one that was left") { try await owner.query(Self.open).count == 2 }
    #expect(await sessions.take(1).isEmpty)
    for session in taken { await sessions.giveBack(session, after: Self.run) }
    try await untilTrue("the end of those that came back too late") { try await owner.query(Self.open).isEmpty }
  }

  @Test func `run sessions number at most a dozen, and returned ones are used again`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let sessions = sessions(database, Naps().time)
    await sessions.expect(at: .zero, others: 0) { 100 }
    try await untilTrue("a dozen sessions") { await sessions.count == RunSessions.countMax }
    #expect(try await owner.query(Self.open).count == RunSessions.countMax)
    let one = await sessions.take(1)
    await sessions.giveBack(one)
    let all = await sessions.take(100)
    #expect(all.count == RunSessions.countMax)
    for session in all { await session.connection.close() }
    await sessions.end()
  }

  @Test func `run sessions are reloaded before the next tick, and replaced up to a dozen`()
    async throws
  {
    let database = try await SettledDatabase.simulated()
    let sessions = sessions(database, Naps().time)
    await sessions.expect(at: .zero, others: 0) { 3 }
    try await untilTrue("three sessions") { await sessions.count == 3 }
    var taken = await sessions.take(3)
    #expect(taken.allSatisfy { $0.isLoaded })
    await sessions.giveBack(taken.removeLast(), after: Self.run)
    let again = await sessions.take(1)
    #expect(again.allSatisfy { !$0.isLoaded })
    await sessions.giveBack(again)
    await sessions.expect(at: .seconds(1), others: 0) { 100 }
    try await untilTrue("ten sessions beside the two in use, all of them loaded") {
      await sessions.ready.count { $0.isLoaded } == 10
    }
    for session in taken { await session.connection.close() }
    await sessions.end()
  }

  @Test func `run sessions are opened for the ticks beyond the idle ones`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS void LANGUAGE sql AS '';
      """)
    for name in ["a", "b", "c"] {
      try await fixture.ask(
        "schedule.add", ["name": .text(name), "cron": .text("* * * * *"), "call": .text("ops.work")])
    }
    let runner = try #require(fixture.system.works[1] as? ScheduleRunner)
    let sessions = try #require(runner.sessions)
    await sessions.giveBack(await sessions.open(1).0)
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    let planned = await fixture.system.works[0].runDue(until: StopFlag(), due: .zero)
    #expect(planned.ready == [runner.name])
    #expect(await runner.runDue(until: StopFlag(), due: .zero).items == 3)
    await runner.finish()
    for name in ["a", "b", "c"] { #expect(try await fixture.rows(name) == ["03-29T12:01:00 ran"]) }
  }

  @Test func `run sessions are left to the preceding nodes, as far as those have room`() async throws {
    let database = try await SettledDatabase.simulated()
    let sessions = sessions(database, Naps().time)
    let asked = Mutex(0)
    let count = { @Sendable in
      asked.withLock { $0 += 1 }
      return 10
    }
    await sessions.expect(at: .zero, others: 8, count: count)
    try await untilTrue("two sessions") { await sessions.count == 2 }
    await sessions.expect(at: .seconds(1), others: 16, count: count)
    #expect(asked.withLock { $0 } == 1)
    await sessions.expect(at: .seconds(2), others: 0, count: count)
    try await untilTrue("ten sessions") { await sessions.count == 10 }
    #expect(asked.withLock { $0 } == 2)
    await sessions.end()
  }

  @Test func `run sessions serve at most a hundred runs, each as if new`() async throws {
    let database = try await SettledDatabase.simulated()
    let sessions = sessions(database, Naps().time)
    var session = try #require(await sessions.open(1).0.first)
    let first = session.backend
    let traces: Statement = """
      SELECT current_setting('work_mem') || ' ' || (SELECT count(*) FROM pg_locks
        WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' || (to_regclass('pg_temp.mine') IS NULL)
      """
    let untouched = try await session.connection.query(traces).one(String.self)
    for number in 1...RunSessions.runsMax {
      #expect(session.backend == first && session.runs == number - 1)
      #expect(try await session.connection.query(traces).one(String.self) == untouched)
      try await session.connection.script(
        "CREATE TEMP TABLE mine (); SET work_mem = '77MB'; SELECT pg_advisory_lock(7); LISTEN x; PREPARE p AS SELECT 1")
      await sessions.giveBack(session, after: Self.run)
      if number < RunSessions.runsMax { session = try #require(await sessions.take(1).first) }
    }
    #expect(await sessions.count == 0)
    await sessions.end()
  }

  @Test func `run sessions exist before their ticks are due, and serve one after the other`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE TABLE ops.done (pid bigint);
      GRANT INSERT ON ops.done TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.done VALUES (pg_backend_pid())';
      """)
    try await fixture.ask(
      "schedule.add", ["name": .text("mine"), "cron": .text("* * * * * *"), "call": .text("ops.work")])
    let runner = try #require(fixture.system.works[1] as? ScheduleRunner)
    let sessions = try #require(runner.sessions)
    for work in fixture.system.works { await work.announce(ComingWork(SchedulePlanner.name, due: .zero)) }
    // The server has it a moment before it is ready here.
    try await untilTrue("a session for the first run") { await sessions.count == 1 }
    let ready = try await fixture.owner.query(Self.open).decode(Int64.self)
    let ran: Statement = "SELECT count(*) FROM settled.occurrence WHERE status = 'ran'"
    for second in 1...2 {
      try await fixture.database.setClock("2031-03-29T12:00:0\(second)Z")
      for work in fixture.system.works { try await work.runAllDue() }
      try await untilTrue("run \(second)") { try await fixture.owner.query(ran).one(Int64.self) == Int64(second) }
      // The task that ended the run looks for the next one, with the session in hand.
      try await untilTrue("the session's return") {
        let isAtRest = await runner.isAtRest
        let count = await sessions.count
        return isAtRest && count == 1
      }
    }
    #expect(try await fixture.owner.query("SELECT DISTINCT pid FROM ops.done").decode(Int64.self) == ready)
    for work in fixture.system.works { await work.finish() }
    try await untilTrue("the end of all sessions") { try await fixture.owner.query(Self.open).isEmpty }
  }

  @Test func `run sessions use another role's name without the daemon's password`() {
    for daemon in ["postgresql://settled_daemon:hush@/x", "postgresql:///x?password=hush", "dbname=x password=hush"] {
      let url = OperatorRun.url(from: daemon)
      #expect(ConnectionOptions(url: daemon).hasPassword && !ConnectionOptions(url: url).hasPassword, "\(daemon)")
      #expect(url.contains("user=settled_schedule"))
    }
  }
}
