import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Due items in others' hands", .timeLimit(.minutes(2)))
struct StarvationTests {
  private static func hold(_ table: String, _ id: Int64, by holder: Connection) async throws {
    try await holder.script("BEGIN; SELECT FROM \(table) WHERE id = \(id) FOR NO KEY UPDATE")
  }

  @Test("are passed over, and done when they are free")
  func passedOver() async throws {
    let chores = try await Chores(20)
    let holder = try await chores.database.connect()
    try await Self.hold("chore", 1, by: holder)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    #expect(try await runner.drainAll() == 19)
    #expect(try await chores.undone == [1])
    try await holder.script("COMMIT")
    #expect(try await runner.drainAll() == 1)
    #expect(try await chores.failures.isEmpty)
  }

  @Test("are waited for when they were never free, also while others come and are done all the time")
  func onAndOff() async throws {
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
      try await runner.drainAll()
      if try await chores.undone.isEmpty { break }
    }
    #expect(try await chores.undone.isEmpty)
    handOver.cancel()
    _ = await handOver.result
  }

  @Test("delay nobody else, even where it is another row of theirs that is held")
  func heldPurse() async throws {
    let chores = try await Chores(20)
    let holder = try await chores.database.connect()
    try await Self.hold("purse", 1, by: holder)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    for _ in 0..<3 { try await runner.drainAll() }
    #expect(try await chores.undone == [1])
    #expect(try await chores.failures.isEmpty)  // Contention is no try.
    try await holder.script("COMMIT")
    for _ in 0..<60 where try await !chores.undone.isEmpty { try await runner.drainAll() }
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.session.query("SELECT sum(pence)::bigint FROM purse").one(Int64.self) == 20)
  }

  @Test(
    "are listed after a minute with who holds them, without a try, until they are done", arguments: ["chore", "purse"])
  func listed(table: String) async throws {
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
    for _ in 0..<8 { try await runner.drainAll() }
    #expect(try await chores.failures.isEmpty)
    clock.withLock { $0 = .seconds(61) }
    for _ in 0..<300 where delays.withLock({ $0.last != [pid] }) {
      // Others' work goes on meanwhile.
      try await runner.drainAll()
    }
    #expect(delays.withLock { $0.last } == [pid])
    let failure = try #require(try await chores.failures.first)
    #expect(failure.0 == "2" && failure.1 == 0 && !failure.2 && failure.3 == "55P03")
    #expect(failure.4.contains("\(pid)"))
    try await holder.script("COMMIT")
    for _ in 0..<60 where try await !chores.undone.isEmpty { try await runner.drainAll() }
    #expect(try await chores.undone.isEmpty)
    #expect(try await chores.failures.isEmpty)
  }
}
