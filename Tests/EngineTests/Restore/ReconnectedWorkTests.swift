import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("Work that reconnects to a restored database") struct ReconnectedWorkTests {
  @Test func `a connection that a run opens stops the jobs before its first claim`() async throws {
    let database = try await SettledDatabase.simulated()
    let time = TestTime.host
    let line = Mutex<String?>(nil)
    let started = Mutex(false)
    let pool = Pool(options: database.options(.daemon), size: 2, waitTimeout: .seconds(5), maximumWaiters: 8)
    let storage = HistoryStorage(read: { line.withLock { $0 } }) { text, _ in line.withLock { $0 = text } }
    let owner = try await database.connect()
    // What the process before this one remembers.
    try await owner.execute(NodeStatements.register(node: "one", version: "1", hasProvider: false))
    try await owner.execute(NodeStatements.beat(node: "one", state: "ready", needsNotify: false))
    try await RestoreGuard(node: "one", jobs: [], marks: [], storage: storage, observe: { _ in }).remember(owner)
    let scheduler = Scheduler(
      pool: database.pool(), works: [], options: SchedulerOptions(node: "one", version: "1"), time: time,
      clockGuard: ClockGuard(time: time), history: storage, stopsAfterRestore: ["careful"],
      observe: {
        if case .started = $0 { started.withLock { $0 = true } }
      })
    scheduler.guardConnections(of: pool)
    let listener = Listener(options: database.options(.daemon), channels: [Scheduler.channel])
    async let end: Void = scheduler.run(listener: listener, admit: { _ in })
    try await untilTrue("the node has met its database") { started.withLock { $0 } }
    #expect(try await pool.withConnection { try await Self.mayClaim($0) })

    // The loop's own connection stands: it looks at its next heartbeat.
    try await owner.execute("UPDATE settled.node SET beats = 0 WHERE node = 'one'")
    let (before, after) = try await pool.withConnection { open in
      (try await Self.mayClaim(open), try await pool.withConnection { try await Self.mayClaim($0) })
    }
    #expect(before, "nobody has looked")
    #expect(!after)
    let stopped = try await owner.query("SELECT settled.is_stopped('careful')").one(Bool.self)
    #expect(stopped)
    scheduler.stop()
    try await end
  }

  private static func mayClaim(_ connection: Connection) async throws -> Bool {
    try await connection.query("SELECT settled.may_claim('careful')").one(Bool.self)
  }
}
