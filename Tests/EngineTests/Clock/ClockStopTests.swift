@testable import Engine
import Postgres
import TestSupport
import Testing

@Suite("Stops of the clock", .timeLimit(.minutes(5)))
struct ClockStopTests {
  private func live<Books: ClockBooks>(
    _ books: Books, lives: Int, happenings: Int, random: inout SeededGenerator
  ) async throws {
    for _ in 0..<lives {
      var world = ClockWorld(books, random: SeededGenerator(seed: random.next()))
      for _ in 0..<happenings { try await world.happen() }
      try await world.settle()
      for size in [7200, -7200] { try await world.repair(by: size) }
      if let fault = world.faults.first {
        Issue.record("\(fault): \(world.story.joined(separator: "; ")) \(random)")
        return
      }
    }
  }

  @Test func `clock stops bind the nodes that the model predicts, for any clocks, and end eventually`()
    async throws
  {
    var random = SeededGenerator()
    try await live(ClockMemory(), lives: 400, happenings: 60, random: &random)
  }

  @Test func `clock stops in a real database match the model`() async throws {
    var random = SeededGenerator()
    let database = try await SettledDatabase.real()
    let books = ClockDatabase(session: try await database.connect(.daemon), pool: database.pool())
    try await live(books, lives: 1, happenings: 300, random: &random)
  }

  private let start = Timestamp(microseconds: 1_900_000_000_000_000)

  private func reading(_ database: Int, boot: Int, host: Int? = nil) throws -> ClockReading {
    ClockReading(
      database: try #require(start.advanced(by: .seconds(database))), boot: .seconds(boot),
      host: try #require(start.advanced(by: .seconds(host ?? database))))
  }

  private func see(_ judge: inout ClockJudge, _ reading: ClockReading, _ books: inout ClockMemory) -> ClockVerdict {
    let actions = judge.see(reading, books.record(), isHeartbeat: true)
    if let number = books.write(actions, node: judge.node, bootId: judge.bootId) { judge.established(number) }
    return judge.judge(reading)
  }

  @Test func `a clock stop outlives its node's boot: a wrong time is no baseline until an operator accepts it`() throws
  {
    var books = ClockMemory()
    var before = ClockJudge(node: "a", bootId: "1", remembered: nil)
    #expect(see(&before, try reading(0, boot: 100), &books) == .agrees)
    #expect(see(&before, try reading(259_210, boot: 110), &books) == .jumped(.seconds(259_200)))
    var after = ClockJudge(node: "a", bootId: "2", remembered: books.remembered("a"))
    #expect(see(&after, try reading(259_300, boot: 5), &books) == .jumped(.seconds(259_200)))
    #expect(see(&after, try reading(259_400, boot: 105), &books) == .jumped(.seconds(259_200)))
    #expect(books.record().isClockStopped)
    books.accept()
    #expect(see(&after, try reading(259_500, boot: 205), &books) == .agrees)
    #expect(books.record().stops.isEmpty)
  }

  @Test(arguments: [0, 600])
  func `a clock stop ends after a boot when the database's time follows the last right reading`(elapsed: Int) throws {
    var books = ClockMemory()
    var before = ClockJudge(node: "a", bootId: "1", remembered: nil)
    _ = see(&before, try reading(0, boot: 100), &books)
    _ = see(&before, try reading(259_200, boot: 100), &books)
    for (database, verdict) in [
      (-1, ClockVerdict.jumped(.seconds(259_200))), (601, .jumped(.seconds(259_200))), (elapsed, .agrees),
    ] {
      var after = ClockJudge(node: "a", bootId: "2", remembered: books.remembered("a"))
      #expect(see(&after, try reading(database, boot: 5), &books) == verdict)
    }
  }

  @Test func `a clock stop by a paused machine binds only that one once an older baseline agrees`()
    throws
  {
    var books = ClockMemory()
    var (old, pausing) = (
      ClockJudge(node: "a", bootId: "1", remembered: nil), ClockJudge(node: "b", bootId: "1", remembered: nil)
    )
    #expect(see(&old, try reading(0, boot: 0), &books) == .agrees)
    #expect(see(&pausing, try reading(1, boot: 1), &books) == .agrees)
    // It comes after the last agreement that the paused machine saw, so it cannot tell who is wrong, and obeys.
    var young = ClockJudge(node: "c", bootId: "1", remembered: nil)
    #expect(see(&young, try reading(500, boot: 500), &books) == .agrees)
    #expect(see(&pausing, try reading(1000, boot: 100), &books) == .jumped(.seconds(900)))
    _ = see(&young, try reading(1001, boot: 1001), &books)
    #expect(books.record().isClockStopped)
    #expect(see(&old, try reading(1002, boot: 1002), &books) == .agrees)
    #expect(!books.record().isClockStopped)
    #expect(see(&pausing, try reading(1003, boot: 103), &books) == .outvoted(.seconds(900)))
    #expect(see(&young, try reading(1004, boot: 1004), &books) == .agrees)
    books.accept()
    #expect(see(&pausing, try reading(1005, boot: 105), &books) == .agrees)
  }

  @Test func `an accepted clock stop stops neither a node whose host differs by just that, nor a new node`()
    throws
  {
    var books = ClockMemory()
    var node = ClockJudge(node: "a", bootId: "1", remembered: nil)
    #expect(see(&node, try reading(0, boot: 0), &books) == .agrees)
    #expect(see(&node, try reading(7210, boot: 10, host: 10), &books) == .jumped(.seconds(7200)))
    books.accept()
    #expect(see(&node, try reading(7220, boot: 20, host: 20), &books) == .agrees)
    var new = ClockJudge(node: "b", bootId: "1", remembered: nil)
    #expect(see(&new, try reading(7230, boot: 3, host: 30), &books) == .agrees)
    var off = ClockJudge(node: "c", bootId: "1", remembered: nil)
    #expect(see(&off, try reading(7240, boot: 3, host: 2040), &books) == .hostIsOff(.seconds(5200)))
    // The host's clock is put right: that is well, and so is its staying there.
    #expect(see(&node, try reading(7250, boot: 50), &books) == .agrees)
    #expect(see(&node, try reading(7260, boot: 60, host: 60), &books) == .hostIsOff(.seconds(7200)))
  }

  @Test func `an acceptance is of the jump that a live node sees, and fits a node that was away since an older jump`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let session = try await database.connect(.daemon)
    let books = ClockDatabase(session: session, pool: database.pool(size: 2))
    var away = ClockJudge(node: "away", bootId: "1", remembered: nil)
    var live = ClockJudge(node: "live", bootId: "1", remembered: nil)
    func see(_ judge: inout ClockJudge, _ reading: ClockReading) async throws -> ClockVerdict {
      let actions = judge.see(reading, try await books.record(), isHeartbeat: true)
      if let number = try await books.write(actions, node: judge.node, bootId: "1") { judge.established(number) }
      return judge.judge(reading)
    }
    #expect(try await see(&away, try reading(0, boot: 0)) == .agrees)
    #expect(try await see(&live, try reading(0, boot: 0)) == .agrees)
    #expect(try await see(&away, try reading(1, boot: 1)) == .agrees)
    #expect(try await see(&away, try reading(-1190, boot: 10)) == .jumped(.seconds(-1200)))
    // The node is away. The clock comes back and jumps further.
    #expect(try await see(&live, try reading(-1980, boot: 20)) == .jumped(.seconds(-2000)))
    try await session.execute(
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state, backend_pid, backend_role, backend_start)
      SELECT 'live', '1', clock_timestamp(), clock_timestamp(), 'degraded', a.pid, a.usesysid, a.backend_start
      FROM pg_stat_activity AS a WHERE a.pid = pg_backend_pid()
      """)
    try await books.accept()
    #expect(try await books.record().accepted == .seconds(-2000))
    #expect(try await see(&live, try reading(-1970, boot: 30)) == .agrees)
    #expect(try await see(&away, try reading(-1960, boot: 40)) == .agrees)
    #expect(try await !books.record().isClockStopped)
  }

  @Test func `nodes that saw the same jump end their stops at the same time, without a deadlock`() async throws {
    let database = try await SettledDatabase.real()
    let pool = database.pool(size: 13)
    let books = ClockDatabase(session: try await database.connect(.daemon), pool: pool)
    // Some names come before and some after the others, so that the nodes would begin with different rows.
    var judges = (1...12).map { ClockJudge(node: "node\($0)", bootId: "1", remembered: nil) }
    for (second, isAhead) in [(10, false), (15, false), (20, true)] {
      for index in judges.indices {
        let ahead = isAhead ? 3600 : 0
        let actions = judges[index].see(
          try reading(second + ahead, boot: second), try await books.record(), isHeartbeat: true)
        if let number = try await books.write(actions, node: judges[index].node, bootId: "1") {
          judges[index].established(number)
        }
      }
    }
    let record = try await books.record()
    #expect(record.stops.count == 12 && record.isClockStopped)
    let writes = try judges.indices.map { index in
      (judges[index].node, judges[index].see(try reading(30, boot: 30), record, isHeartbeat: true))
    }
    #expect(writes.allSatisfy { node, actions in actions.contains(.release) && actions.count >= 12 })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (node, actions) in writes {
        group.addTask {
          _ = try await pool.transaction { try await ClockAction.write(actions, node: node, bootId: "1", $0) }
        }
      }
      // An operator accepts the clock meanwhile.
      group.addTask { try await books.accept() }
      try await group.waitForAll()
    }
    #expect(try await books.record().stops.isEmpty)
  }
}
