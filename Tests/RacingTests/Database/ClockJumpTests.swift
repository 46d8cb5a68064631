import Engine
import Postgres
import Racing
import Synchronization
import TestSupport
import Testing

/// A node whose boot clock the test moves: two hours less since boot are a database that is two hours ahead.
private final class MovedClock: Sendable {
  private let behind = Mutex<Duration>(.zero)

  func step(_ duration: Duration) {
    behind.withLock { $0 = duration }
  }

  var timekeeper: Timekeeper {
    let real = TestNode.timekeeper
    return Timekeeper(
      now: real.now, boot: { real.boot() - self.behind.withLock { $0 } }, bootId: real.bootId, wall: real.wall,
      sleep: real.sleep, draw: real.draw)
  }
}

@Suite("A clock that jumps")
struct ClockJumpTests {
  @Test("pays nothing by its new time, on any node, until an operator accepts it")
  func heldUntilAccepted() async throws {
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

    try await owner.execute("UPDATE settled.clock_acceptance SET generation = generation + 1")
    try await owner.execute("DELETE FROM settled.clock_hold")
    try await owner.execute("SELECT pg_notify('settled', '')")
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

  @Test("is held no longer when it agrees again")
  func agreesAgain() async throws {
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
}
