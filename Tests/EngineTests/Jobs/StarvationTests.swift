@testable import Engine
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Due items that others lock", .timeLimit(.minutes(2)))
struct StarvationTests {
  private static func hold(_ table: String, _ id: Int64, by holder: Connection) async throws {
    try await holder.script("BEGIN; SELECT FROM \(table) WHERE id = \(id) FOR NO KEY UPDATE")
  }

  @Test func `due items that others lock are skipped, and done when they are free`() async throws {
    let chores = try await Chores(20)
    let holder = try await chores.database.connect()
    try await Self.hold("chore", 1, by: holder)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    #expect(try await runner.runAllDue() == 19)
    #expect(try await chores.undone == [1])
    try await holder.script("COMMIT")
    #expect(try await runner.runAllDue() == 1)
    #expect(try await chores.failures.isEmpty)
  }

  @Test func `due items that are never free are waited for, also while others keep coming`() async throws {
    let chores = try await Chores(1)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    let holder = try await chores.database.connect()
    try await Self.hold("chore", 1, by: holder)
    // Whenever somebody looks without waiting, the row is held; to one who waits it is handed over.
    let handOver = Task {
      let observer = try await chores.database.connect()
      try await observer.untilBlocked(by: try await holder.backend())
      try await holder.script("COMMIT")
    }
    for round in 1...Int64(8) {
      try await chores.add(round * 10...round * 10)
      try await runner.runAllDue()
      if try await chores.undone.isEmpty { break }
    }
    #expect(try await chores.undone.isEmpty)
    handOver.cancel()
    _ = await handOver.result
  }

  @Test func `due items are freed from the product's sessions whose client stopped reading, and no others`()
    async throws
  {
    let chores = try await Chores(2)
    let (gate, idle) = (try await chores.database.connect(), try await chores.database.connect())
    try await Self.hold("purse", 2, by: idle)
    try await gate.script("SELECT pg_advisory_lock(77)")
    let client = Process()
    client.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    client.arguments = [
      "psql", chores.database.url(.owner), "-c",
      """
      BEGIN; SELECT FROM purse WHERE id = 1 FOR UPDATE; SELECT pg_advisory_lock_shared(77);
      SELECT repeat('x', 1000000) FROM generate_series(1, 1000)
      """,
    ]
    client.standardOutput = FileHandle.nullDevice
    client.standardError = FileHandle.nullDevice
    try client.run()
    defer { kill(client.processIdentifier, SIGKILL) }
    @Sendable func pid(_ state: String) async throws -> Int32? {
      try await chores.session.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = \(state) AND state = 'active'"
      ).first(Int32.self)
    }
    try await untilTrue("the client's wait") { try await pid("advisory") != nil }
    kill(client.processIdentifier, SIGSTOP)
    try await gate.script("SELECT pg_advisory_unlock(77)")
    try await untilTrue("the server's wait for the client") { try await pid("ClientWrite") != nil }
    let hung = try #require(try await pid("ClientWrite"))
    var context = chores.context()
    await LockProbe(context: context).endHung([hung])
    #expect(try await pid("ClientWrite") == hung)
    context.hungAfter = .zero
    let sleeper = try await idle.backend()
    await LockProbe(context: context).endHung([hung, sleeper])
    // A session leaves this view after its locks are gone, but it stops waiting before.
    try await untilTrue("the end of the hung session") {
      try await chores.session.query("SELECT pid FROM pg_stat_activity WHERE pid = \(hung)").first(Int32.self) == nil
    }
    try await chores.session.script("BEGIN; SELECT FROM purse WHERE id = 1 FOR UPDATE NOWAIT; COMMIT")
    try await idle.script("COMMIT")
  }

  @Test func `due items that others lock delay no others, even if another of their rows is locked`() async throws {
    let chores = try await Chores(20)
    let holder = try await chores.database.connect()
    try await Self.hold("purse", 1, by: holder)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    for _ in 0..<3 { try await runner.runAllDue() }
    #expect(try await chores.undone == [1])
    #expect(try await chores.failures.isEmpty)  // Contention is no try.
    try await holder.script("COMMIT")
    for _ in 0..<60 where try await !chores.undone.isEmpty { try await runner.runAllDue() }
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.session.query("SELECT sum(pence)::bigint FROM purse").one(Int64.self) == 20)
  }

  @Test(arguments: ["chore", "purse"])
  func `locked items are listed after a minute with the lock's holder, without an attempt`(table: String) async throws {
    let chores = try await Chores(3)
    let holder = try await chores.database.connect()
    let pid = try await holder.backend()
    try await Self.hold(table, 2, by: holder)
    let clock = Mutex(Duration.zero)
    let delays = Mutex<[[Int32]]>([])
    let host = TestTime.host
    let time = Timekeeper(
      now: { clock.withLock { $0 } }, boot: host.boot, bootId: host.bootId, wall: host.wall, sleep: host.sleep,
      draw: host.draw)
    let runner = JobRunner(
      ChoreJob(),
      in: chores.context(time: time) { observation in
        if case .itemDelayed("chore", "2", let by) = observation { delays.withLock { $0.append(by) } }
      })
    for _ in 0..<8 { try await runner.runAllDue() }
    #expect(try await chores.failures.isEmpty)
    clock.withLock { $0 = .seconds(61) }
    for _ in 0..<300 where delays.withLock({ $0.last != [pid] }) {
      // Others' work continues meanwhile.
      try await runner.runAllDue()
    }
    #expect(delays.withLock { $0.last } == [pid])
    let failure = try #require(try await chores.failures.first)
    #expect(failure.0 == "2" && failure.1 == 0 && !failure.2 && failure.3 == "55P03")
    #expect(failure.4.contains("\(pid)"))
    try await holder.script("COMMIT")
    for _ in 0..<60 where try await !chores.undone.isEmpty { try await runner.runAllDue() }
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.failures.isEmpty)
  }
}
