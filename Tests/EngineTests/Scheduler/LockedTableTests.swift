import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A table that somebody locks", .timeLimit(.minutes(2))) struct LockedTableTests {
  /// Work that is due as soon as its table can be read, and continues until it must claim no more.
  private final class TableWork: Work {
    let name: String
    let nextDue: String
    let isListed = false
    let begun = Mutex(0)

    init(_ table: String) {
      name = table
      nextDue = "SELECT min(at) FROM public.\(table)"
    }

    func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
      begun.withLock { $0 += 1 }
      while !stopFlag.isRequested { await Task.yield() }
      return RunOutcome(items: 1)
    }

    func overdue(_ session: Connection) async throws -> Int64 { 1 }
    func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }
    func pruneResolvedFailures(_ session: Connection) async throws {}
    func recoverFromCrash() async {}
  }

  @Test func `a locked table stops the work that reads it, and no other work of the node`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    for table in ["locked", "sound"] {
      try await owner.script(
        "CREATE TABLE \(table) (at timestamptz); INSERT INTO \(table) VALUES ('epoch'); "
          + "GRANT SELECT ON \(table) TO settled_daemon")
    }
    let holder = try await database.connect()
    try await holder.script("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
    var options = database.options(.daemon)
    options.lockTimeout = .milliseconds(200)
    let pool = Pool(options: options, size: 6, waitTimeout: .seconds(20), maximumWaiters: 100)
    let (locked, sound) = (TableWork("locked"), TableWork("sound"))
    let away = Mutex<[String]>([])
    let scheduler = Scheduler(
      pool: pool, works: [locked, sound], options: SchedulerOptions(node: "one", version: "1"), time: TestTime.host,
      clockGuard: ClockGuard(time: TestTime.host)
    ) { observation in
      if case .databaseAway(let error) = observation { away.withLock { $0.append("\(error)") } }
    }
    let listener = Listener(options: database.options(.daemon), channels: [Scheduler.channel])
    async let end: Void = scheduler.run(listener: listener, admit: { _ in })
    try await untilTrue("the sound work") { sound.begun.withLock { $0 == 1 } }
    #expect(locked.begun.withLock { $0 } == 0)
    try await holder.script("COMMIT")
    try await untilTrue("the work of the table") { locked.begun.withLock { $0 == 1 } }
    scheduler.stop()
    try await end
    #expect(away.withLock { $0 } == [])
    await pool.close()
  }
}
