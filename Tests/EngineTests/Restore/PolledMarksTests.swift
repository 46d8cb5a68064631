import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("The marks in a poll", .timeLimit(.minutes(2))) struct PolledMarksTests {
  private enum Step {
    case trip, written, polled
  }

  @Test func `a node remembers the newest marks with the round trip of a poll, before it acts on the poll`()
    async throws
  {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let steps = Mutex<[Step]>([])
    let isAsleep = Mutex(false)
    var options = database.options(.daemon)
    options.onRoundTrip = { steps.withLock { $0.append(.trip) } }
    let pool = Pool(options: options, size: 2, waitTimeout: .seconds(20), maximumWaiters: 100)
    let storage = HistoryStorage(read: { nil }) { line, _ in
      if line.contains(" event=1 ") { steps.withLock { $0.append(.written) } }
    }
    let scheduler = Scheduler(
      pool: pool, works: [EventNumbering(pool: database.pool())], options: SchedulerOptions(node: "one", version: "1"),
      time: TestTime.host, clockGuard: ClockGuard(time: TestTime.host), history: storage
    ) { observation in
      if case .polled = observation { steps.withLock { $0.append(.polled) } }
      if case .asleep = observation { isAsleep.withLock { $0 = true } }
    }
    let listener = Listener(options: database.options(.daemon), channels: [Scheduler.channel])
    async let end: Void = scheduler.run(listener: listener, admit: { _ in })
    try await untilTrue("the node's rest") { isAsleep.withLock { $0 } }
    try await owner.execute("SELECT settled.emit('test', 'a', '{}', settled.clock())")
    scheduler.wake()
    try await untilTrue("a poll that sees the event's position") {
      steps.withLock { $0.contains(.written) && $0.last == .polled }
    }
    let seen = steps.withLock { $0 }
    let written = try #require(seen.firstIndex(of: .written))
    #expect(seen[written - 1] == .trip && seen[written + 1] == .polled, "\(seen)")
    scheduler.stop()
    try await end
  }
}
