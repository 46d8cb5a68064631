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

  @Test func `a table of a mark that is locked delays one poll, and then no other before the heartbeat`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.script(
      "CREATE TABLE locked (at bigint); INSERT INTO locked VALUES (1); GRANT SELECT ON locked TO settled_daemon")
    let mark = HistoryMark(
      name: "locked", isMissing: "it lacks the row", newest: "SELECT max(at)::text FROM public.locked"
    ) { "SELECT EXISTS (SELECT FROM public.locked WHERE at::text = \($0))" }
    // Whether each statement of a poll reads the table, and how many polls there were.
    let statements = Mutex<[Bool]>([])
    let polls = Mutex(0)
    let isAsleep = Mutex(false)
    var options = database.options(.daemon)
    options.lockTimeout = .milliseconds(200)
    options.beforeStatement = { statement in
      guard statement.sql.contains("AS working_nodes") else { return }
      statements.withLock { $0.append(statement.sql.contains("public.locked")) }
    }
    let scheduler = Scheduler(
      pool: Pool(options: options, size: 2, waitTimeout: .seconds(20), maximumWaiters: 100),
      works: [EventNumbering(pool: database.pool())], options: SchedulerOptions(node: "one", version: "1"),
      time: TestTime.host, clockGuard: ClockGuard(time: TestTime.host), marks: [mark],
      history: HistoryStorage(read: { nil }, write: { _, _ in })
    ) { observation in
      if case .polled = observation { polls.withLock { $0 += 1 } }
      if case .asleep = observation { isAsleep.withLock { $0 = true } }
    }
    let listener = Listener(options: database.options(.daemon), channels: [Scheduler.channel])
    async let end: Void = scheduler.run(listener: listener, admit: { _ in })
    try await untilTrue("the node's rest") { isAsleep.withLock { $0 } }
    try await owner.script("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
    for _ in 0..<2 {
      let before = polls.withLock { $0 }
      scheduler.wake()
      try await untilTrue("a poll") { polls.withLock { $0 > before } }
    }
    let seen = statements.withLock { $0 }
    let last = try #require(seen.lastIndex(of: true))
    #expect(seen.suffix(from: last).count >= 3, "with the mark, alone without it, together without it: \(seen)")
    try await owner.script("COMMIT")
    scheduler.stop()
    try await end
  }
}
