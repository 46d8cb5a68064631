import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("Sessions that wait for operators' runs") struct ReadySessionsTests {
  private static let open: Statement = """
    SELECT pid::bigint FROM pg_stat_activity WHERE usename = 'settled_schedule' AND datname = current_database()
    ORDER BY 1
    """

  /// A clock on which short naps are over at once, and long ones when they are ended.
  private final class Naps: Sendable {
    private let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    let taken = Mutex<[Duration]>([])

    init() { (ends, end) = AsyncStream.makeStream() }

    func endLongOne() { end.yield() }

    var time: Timekeeper {
      Timekeeper(
        now: { .zero }, boot: { .zero }, bootId: "b", wall: { Timestamp(microseconds: 0) },
        sleep: { [self] duration in
          taken.withLock { $0.append(duration) }
          guard duration > .seconds(20) else { return }
          for await _ in ends { return }
        }, draw: { 0 })
    }
  }

  private func sessions(_ database: SettledDatabase, _ time: Timekeeper) -> ReadySessions {
    let options = ConnectionOptions(url: OperatorRun.url(from: database.url(.daemon)))
    return ReadySessions(OperatorRun(options: options).session, time: time)
  }

  @Test("are opened shortly before they are needed, and closed when nobody came")
  func comeAndGo() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let naps = Naps()
    let sessions = sessions(database, naps.time)
    await sessions.expect(at: .seconds(12)) { 3 }
    try await untilTrue("three sessions") { try await owner.query(Self.open).count == 3 }
    #expect(naps.taken.withLock { $0.first } == .milliseconds(10_500))
    let taken = await sessions.take(2)
    #expect(taken.count == 2)
    naps.endLongOne()
    try await untilTrue("the end of the one that was left") { try await owner.query(Self.open).count == 2 }
    #expect(await sessions.take(1).isEmpty)
    for session in taken { await session.close() }
  }

  @Test("are no more than a dozen, whatever is expected; those given back are there again")
  func areFew() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let sessions = sessions(database, Naps().time)
    await sessions.expect(at: .zero) { 100 }
    try await untilTrue("a dozen sessions") { await sessions.count == ReadySessions.countMax }
    #expect(try await owner.query(Self.open).count == ReadySessions.countMax)
    let one = await sessions.take(1)
    await sessions.giveBack(one)
    let all = await sessions.take(100)
    #expect(all.count == ReadySessions.countMax)
    for session in all { await session.close() }
    await sessions.end()
  }

  @Test("serve the next tick: its run has a session that was there before it was due")
  func serve() async throws {
    let town = try await ScheduleTown(at: "2031-03-29T12:00:00Z")
    try await town.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE TABLE ops.done (pid bigint);
      GRANT INSERT ON ops.done TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.done VALUES (pg_backend_pid())';
      """)
    try await town.ask(
      "schedule.add", ["name": .text("mine"), "cron": .text("* * * * * *"), "call": .text("ops.work")])
    let ran: Statement = "SELECT count(*) FROM settled.occurrence WHERE status = 'ran'"
    try await town.database.setClock("2031-03-29T12:00:01Z")
    for work in town.house.works { try await work.drainAll() }
    try await untilTrue("the first run") { try await town.owner.query(ran).one(Int64.self) == 1 }
    let first = try await town.owner.query("SELECT pid FROM ops.done").one(Int64.self)
    for work in town.house.works { await work.foresee(.zero) }
    try await untilTrue("a session for the next one") {
      let open = try await town.owner.query(Self.open).decode(Int64.self)
      return open.count == 1 && open != [first]
    }
    let ready = try await town.owner.query(Self.open).decode(Int64.self)
    try await town.database.setClock("2031-03-29T12:00:02Z")
    for work in town.house.works { try await work.drainAll() }
    try await untilTrue("the second run") { try await town.owner.query(ran).one(Int64.self) == 2 }
    #expect(try await town.owner.query("SELECT pid FROM ops.done").decode(Int64.self) == [first] + ready)
    for work in town.house.works { await work.finish() }
    try await untilTrue("the end of all sessions") { try await town.owner.query(Self.open).isEmpty }
  }

  @Test("are reached with another role's name, and so without the daemon's password")
  func url() {
    for daemon in ["postgresql://settled_daemon:hush@/x", "postgresql:///x?password=hush", "dbname=x password=hush"] {
      let url = OperatorRun.url(from: daemon)
      #expect(ConnectionOptions(url: daemon).hasPassword && !ConnectionOptions(url: url).hasPassword, "\(daemon)")
      #expect(url.contains("user=settled_schedule"))
    }
  }
}
