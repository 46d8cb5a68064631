import Engine
import Postgres
import TestSupport
import Testing

@Suite("Delivery of events", .timeLimit(.minutes(2)))
struct EventDeliveryTests {
  /// The acts of a node, beside the instants of the events.
  enum Condition: CaseIterable {
    case works, drains, isClockStopped, hasWrongClock
  }

  @Test(arguments: Condition.allCases)
  func `events are delivered at once and in order, for any timestamps and node states`(_ condition: Condition)
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let host = TestTime.host
    let behind = condition == .hasWrongClock ? Int64(400_000_000) : 0
    let time = Timekeeper(
      now: host.now, boot: host.boot, bootId: host.bootId,
      wall: { Timestamp(microseconds: host.wall().microseconds - behind) }, sleep: host.sleep, draw: host.draw)
    if condition == .isClockStopped {
      try await owner.execute(
        """
        INSERT INTO settled.clock_hold (node, since, difference_milliseconds)
        VALUES ('other', clock_timestamp(), 7200000)
        """)
    }
    let pool = database.pool()
    let scheduler = Scheduler(
      pool: pool, works: [EventNumbering(pool: pool)], options: SchedulerOptions(node: "one", version: "1"), time: time,
      clockGuard: ClockGuard(time: time), observe: { _ in })
    if condition == .drains { scheduler.drain() }
    async let end: Void = scheduler.run(
      listener: Listener(options: database.options(.daemon), channels: [Scheduler.channel]), admit: { _ in })
    // Three days ahead, now, and, as after a step back, five minutes ahead.
    for (number, ahead) in ["3 days", "0", "280 s", "-1 hour"].enumerated() {
      try await owner.execute(
        "SELECT settled.emit('test', \(String(number)), '{}', clock_timestamp() + \(ahead)::text::interval)")
      try await untilTrue("event \(number) while the node \(condition)", within: .seconds(20)) {
        try await owner.query("SELECT count(*) FROM settled.event").one(Int64.self) == Int64(number + 1)
      }
    }
    let read = try await owner.query("SELECT position, key FROM settled.events(NULL, 500)")
      .decode(String.self, String.self)
    #expect(read.map { "\($0.0) \($0.1)" } == ["1 0", "2 1", "3 2", "4 3"])
    scheduler.stop()
    try await end
  }
}
