import Engine
import Operations
import ControlAPI
import Postgres
import Racing
import Synchronization
import DaemonSupport
import TestSupport
import Testing

/// A node whose boot clock the test moves: two hours less since boot are a database that is two hours ahead.
private final class MovedClock: Sendable {
  private let behind = Mutex<Duration>(.zero)
  private let wallAhead = Mutex<Duration>(.zero)

  func step(_ duration: Duration) {
    behind.withLock { $0 = duration }
  }

  func setWall(ahead duration: Duration) {
    wallAhead.withLock { $0 = duration }
  }

  var timekeeper: Timekeeper { timekeeper(bootId: TestTime.host.bootId) }

  func timekeeper(bootId: String) -> Timekeeper {
    let real = TestTime.host
    return Timekeeper(
      now: real.now, boot: { real.boot() - self.behind.withLock { $0 } }, bootId: bootId,
      wall: {
        Timestamp(microseconds: real.wall().microseconds + self.wallAhead.withLock { Int64($0 / .microseconds(1)) })
      },
      sleep: real.sleep, draw: real.draw)
  }
}

@Suite("A clock that jumps")
struct ClockJumpTests {
  private static func accept(_ database: SettledDatabase) async throws {
    let accept = try #require(EngineHandlers.commands.first { $0.name == "clock.accept" })
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .admin), requestId: nil,
      values: ["reason": .text("the step is right")])
    _ = try await CommandDispatcher([accept], pool: database.pool(), node: "test").run(accept, call)
  }

  @Test func `a jumped clock settles nothing after its node's boot, and stops a new node too`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let clock = MovedClock()
    let node = TestNode(database, name: "moved", time: clock.timekeeper)
    try await node.untilAsleep()
    clock.step(.seconds(259_200))
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await within(.seconds(20), "the hold") {
      await node.until { if case .clockJumped = $0 { true } else { false } }
    }
    try await node.stop()

    // The database's clock stepped: seen by its rows, the last right reading lies so much further back.
    try await owner.execute("UPDATE settled.clock_baseline SET database_at = database_at - interval '259200 s'")
    let races = try await Herd(races: 2, entries: 4).write(owner)
    let settled: Statement = "SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'"
    let booted = TestNode(database, name: "moved", time: clock.timekeeper(bootId: "the next boot"))
    let new = TestNode(database, name: "new")
    for node in [booted, new] { try await node.untilAsleep() }
    #expect(try await owner.query("SELECT count(*) FROM settled.clock_hold").one(Int64.self) == 1)
    #expect(try await owner.query(settled).one(Int64.self) == 0)

    try await Self.accept(database)
    try await untilTrue("the settlement of both") { try await owner.query(settled).one(Int64.self) == 2 }
    try await booted.stop()
    try await new.stop()
  }

  @Test func `a paused machine's jump stops only its own node when another has an older baseline`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let old = TestNode(database, name: "old")
    try await old.untilAsleep()
    let clock = MovedClock()
    let pausing = TestNode(database, name: "pausing", time: clock.timekeeper)
    try await pausing.untilAsleep()
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await pausing.untilPolled()
    clock.step(.seconds(900))
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await within(.seconds(20), "the end of the stop for others") {
      await old.until { if case .clockStopLifted(node: "pausing") = $0 { true } else { false } }
    }
    let races = try await Herd(races: 2, entries: 4).write(owner)
    let settled: Statement = "SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'"
    try await untilTrue("the settlement of both") { try await owner.query(settled).one(Int64.self) == 2 }
    try await within(.seconds(20), "that the paused one knows") {
      await pausing.until { if case .clockOutvoted = $0 { true } else { false } }
    }
    let lifted: Statement = "SELECT node FROM settled.clock_hold WHERE lifted"
    #expect(try await owner.query(lifted).decode(String.self) == ["pausing"])
    try await pausing.stop()
    try await old.stop()
  }

  @Test func `a jumped clock pays nothing on any node until an operator accepts it`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let clock = MovedClock()
    let node = TestNode(database, name: "moved", time: clock.timekeeper)
    try await node.untilAsleep()

    clock.step(.seconds(7200))
    let races = try await Herd(races: 3, entries: 4).write(owner)
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await within(.seconds(20), "the hold") {
      await node.until { if case .clockJumped = $0 { true } else { false } }
    }
    let held = try await owner.query("SELECT count(*) FROM settled.clock_hold").one(Int64.self)
    #expect(held == 1)

    // Another node, whose own clocks are right, obeys.
    let other = TestNode(database, name: "right")
    try await other.untilAsleep()
    let settled: Statement = "SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'"
    #expect(try await owner.query(settled).one(Int64.self) == 0)

    try await Self.accept(database)
    try await untilTrue("the settlement of all three") { try await owner.query(settled).one(Int64.self) == 3 }
    let events = try await owner.query(
      """
      SELECT count(*) FROM (SELECT topic FROM settled.event UNION ALL SELECT topic FROM settled.event_pending) AS e
      WHERE topic = 'clock.jumped'
      """
    ).one(Int64.self)
    // A look that began before the acceptance may hold, and say so, once more.
    #expect((1...2).contains(events))
    try await node.stop()
    try await other.stop()
    try await Books.check(owner)
  }

  @Test(arguments: [7200, -7200])
  func `a clock jump neither triggers retries nor delays them, and the remaining back-off stays`(step: Int) async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let races = try await Herd(races: 3, entries: 4).write(owner)
    for (race, seconds) in [(races[0], Int64(5)), (races[1], 280)] {
      try await owner.execute(
        """
        INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, error)
        SELECT 'race-settlement', \(String(race)), 2, now, now, now + \(seconds) * interval '1 second', 'once'
        FROM (SELECT clock_timestamp() AS now) AS t
        """)
    }
    let clock = MovedClock()
    let node = TestNode(database, name: "moved", time: clock.timekeeper)
    let isSettled: @Sendable (Int64) async throws -> Bool = { race in
      try await owner.query("SELECT status = 'settled' FROM racing.race WHERE id = \(race)").one(Bool.self)
    }
    try await untilTrue("the race that never failed") { try await isSettled(races[2]) }

    // The database's clock steps: seen by its rows, they lie so much further back or ahead, and so does the boot.
    clock.step(.seconds(step))
    try await owner.execute(
      """
      UPDATE settled.failure SET last_at = last_at - \(Int64(step)) * interval '1 second',
        next_attempt_at = next_attempt_at - \(Int64(step)) * interval '1 second'
      """)
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await within(.seconds(20), "the hold") {
      await node.until { if case .clockJumped = $0 { true } else { false } }
    }
    try await Self.accept(database)
    try await untilTrue("the retry") { try await isSettled(races[0]) }
    #expect(try await !isSettled(races[1]))
    let left: Statement =
      "SELECT extract(epoch FROM next_attempt_at - clock_timestamp())::bigint FROM settled.failure WHERE key = \(String(races[1]))"
    let seconds = try await owner.query(left).decode(Int64.self)
    #expect(seconds.count == 1 && seconds.allSatisfy { (100...280).contains($0) }, "\(seconds)")
    try await node.stop()
    try await Books.check(owner)
  }

  @Test func `a clock that agrees again ends its stop`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let clock = MovedClock()
    let node = TestNode(database, name: "moved", time: clock.timekeeper)
    try await node.untilAsleep()
    clock.step(.seconds(-7200))
    try await owner.execute("SELECT pg_notify('settled', '')")
    let holds: Statement = "SELECT count(*) FROM settled.clock_hold"
    try await untilTrue("the hold") { try await owner.query(holds).one(Int64.self) == 1 }

    clock.step(.zero)
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await untilTrue("its end") { try await owner.query(holds).one(Int64.self) == 0 }
    try await node.stop()
  }

  @Test func `a jump of one node's own clock makes only that node claim nothing, and is logged once`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let clock = MovedClock()
    clock.setWall(ahead: .seconds(400))
    let node = TestNode(database, name: "off", time: clock.timekeeper)
    try await within(.seconds(20), "its word") {
      await node.until { if case .hostClockOff = $0 { true } else { false } }
    }
    let races = try await Herd(races: 2, entries: 4).write(owner)
    let settled: Statement = "SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'"
    for _ in 0..<3 {
      try await owner.execute("SELECT pg_notify('settled', '')")
      try await node.untilPolled()
    }
    #expect(try await owner.query(settled).one(Int64.self) == 0)
    #expect(try await owner.query("SELECT count(*) FROM settled.clock_hold").one(Int64.self) == 0)

    // Another node continues.
    let right = TestNode(database, name: "right")
    try await untilTrue("the settlement by the other") { try await owner.query(settled).one(Int64.self) == 2 }
    try await right.stop()

    clock.setWall(ahead: .zero)
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await within(.seconds(20), "its clock's return") {
      await node.until { if case .hostClockAgrees = $0 { true } else { false } }
    }
    try await node.stop()
    var said = 0
    for await observation in node.all { if case .hostClockOff = observation { said += 1 } }
    #expect(said == 1)
  }
}
