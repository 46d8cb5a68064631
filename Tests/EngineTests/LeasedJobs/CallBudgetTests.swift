import Engine
import Postgres
import TestSupport
import Testing

@Suite("A budget of calls") struct CallBudgetTests {
  private static let day: Duration = .seconds(86400)
  private static let quarter: Duration = .seconds(900)

  private func world(quarter: Int, day: Int) async throws -> (SettledDatabase, Connection) {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    for (key, value) in [("t.quarter", quarter), ("t.day", day)] {
      try await owner.execute("SELECT settled.declare_setting(\(key), 'whole', \("\(value)"), 0, 10000, 'A limit.')")
    }
    return (database, owner)
  }

  private func budget(reserve: Int64 = 0) -> CallBudget {
    CallBudget(
      "t", [.init(Self.day, limit: "t.day"), .init(Self.quarter, limit: "t.quarter")], reserve: reserve)
  }

  /// The grant to a node that is the daemon's role.
  private func take(_ budget: CallBudget, _ wanted: Int, _ session: Connection) async throws -> Int {
    try await session.transaction { try await budget.take(wanted, in: $0).granted }
  }

  /// Both windows restart while the test runs where this is not so; the campaign is then made in the next one.
  private func isFar(fromEndOf span: Duration, _ session: Connection) async throws -> Bool {
    let seconds = span.components.seconds
    return try await session.query(
      "SELECT extract(epoch FROM clock_timestamp())::bigint % \(seconds) < \(seconds - 20)"
    )
    .one(Bool.self)
  }

  @Test func `a call budget is never overdrawn by concurrent callers, and all of it can be spent`() async throws {
    let (database, owner) = try await world(quarter: 60, day: 45)
    try await untilTrue("a window that lasts") { try await isFar(fromEndOf: Self.quarter, owner) }
    let pool = database.pool(.daemon, size: 8)
    let granted = try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          try await pool.withConnection { connection in
            var sum = 0
            for _ in 0..<20 {
              sum += try await connection.transaction { try await budget().take(1, in: $0).granted }
            }
            return sum
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(granted == 45)
    let rest = try await owner.transaction { try await budget().take(3, in: $0) }
    #expect(rest.granted == 0 && rest.wait > .zero && rest.wait <= Self.day)
  }

  @Test func `a call budget keeps a reserve of at most a quarter, follows the provider, and is renewed`()
    async throws
  {
    let (_, owner) = try await world(quarter: 10, day: 100)
    try await untilTrue("a window that lasts") { try await isFar(fromEndOf: Self.quarter, owner) }
    #expect(try await take(budget(reserve: 4), 20, owner) == 8)
    #expect(try await take(budget(reserve: 4), 1, owner) == 0)
    #expect(try await take(budget(), 20, owner) == 2)
    // 1. The provider allows more than the setting; it never makes less of what was spent.
    let now = try await owner.query("SELECT settled.clock()").one(Timestamp.self)
    let note: (Int64, Int64?) -> Statement = {
      budget().note([.init(Self.quarter, used: $0, limit: $1)], ofCallAt: now)
    }
    try await owner.execute(note(3, 15))
    #expect(try await take(budget(), 20, owner) == 5)
    // 2. It has seen more than we know of.
    try await owner.execute(note(15, 30))
    try await owner.execute(note(28, nil))
    #expect(try await take(budget(), 20, owner) == 2)
    // A reply to a call of an earlier window does not count in this one.
    let earlier = Timestamp(microseconds: now.microseconds - Duration.seconds(960).microseconds)
    try await owner.execute(budget().note([.init(Self.quarter, used: 29, limit: 1000)], ofCallAt: earlier))
    #expect(try await take(budget(), 20, owner) == 0)
    // 3. The quarter has ended, with its reported calls; the day continues.
    try await owner.execute(
      "UPDATE settled.call_window SET started_at = started_at - interval '15 min' WHERE seconds = 900")
    #expect(try await take(budget(), 50, owner) == 10)
    #expect(
      try await owner.query("SELECT used FROM settled.call_window WHERE seconds = 86400").one(Int64.self) == 27)
  }

  @Test func `a call budget survives a server clock that was set back or ran ahead`()
    async throws
  {
    let (_, owner) = try await world(quarter: 10, day: 100)
    try await untilTrue("a window that lasts") { try await isFar(fromEndOf: Self.quarter, owner) }
    #expect(try await take(budget(), 10, owner) == 10)
    let move: (String) -> Statement = {
      "UPDATE settled.call_window SET started_at = started_at + interval '\(raw: $0)' WHERE seconds = 900"
    }
    try await owner.execute(move("15 min"))
    #expect(try await take(budget(), 10, owner) == 0, "the window of before the step back")
    try await owner.execute(move("1 year"))
    #expect(try await take(budget(), 10, owner) == 10, "the window of a clock that was a year ahead")
  }

  @Test func `a call budget within another takes calls from both and returns those that the other refuses`()
    async throws
  {
    let (_, owner) = try await world(quarter: 12, day: 1000)
    try await untilTrue("a window that lasts") { try await isFar(fromEndOf: Self.quarter, owner) }
    try await owner.execute("SELECT settled.declare_setting('t.reads', 'whole', '8', 0, 10000, 'A limit.')")
    let wide = CallBudget("wide", [.init(Self.quarter, limit: "t.quarter")], reserve: .max)
    let narrow = CallBudget("narrow", [.init(Self.quarter, limit: "t.reads")], within: wide)
    let used: Statement = "SELECT string_agg(budget || ' ' || used, ', ' ORDER BY budget) FROM settled.call_window"
    #expect(try await take(narrow, 5, owner) == 5)
    #expect(try await owner.query(used).one(String.self) == "narrow 5, wide 5")
    // A quarter of the wider one, 3 of 12, is left to others: it has 1 more for these after another three.
    #expect(try await take(CallBudget("wide", [.init(Self.quarter, limit: "t.quarter")]), 3, owner) == 3)
    let (granted, wait) = try await owner.transaction { try await narrow.take(3, in: $0) }
    #expect(granted == 1 && wait > .zero && wait <= Self.quarter)
    #expect(try await owner.query(used).one(String.self) == "narrow 6, wide 9")
    #expect(try await take(narrow, 1, owner) == 0)
    #expect(try await owner.query(used).one(String.self) == "narrow 6, wide 9")
  }

  @Test func `a share of a call budget takes its part at most, which follows the provider's limit`() async throws {
    let (database, owner) = try await world(quarter: 16, day: 1000)
    try await untilTrue("a window that lasts") { try await isFar(fromEndOf: Self.quarter, owner) }
    let share = budget().share(quarters: 1, as: "s")
    let short: Statement = """
      SELECT string_agg(budget || ' ' || used || ' ' || (short_at IS NOT NULL), ', ' ORDER BY budget)
      FROM settled.call_window WHERE seconds = 900
      """
    #expect(try await take(share, 3, owner) == 3)
    let (granted, wait) = try await owner.transaction { try await share.take(3, in: $0) }
    #expect(granted == 1 && wait > .zero)
    #expect(try await owner.query(short).one(String.self) == "s 4 true, t 4 false")
    // The rest is for all others, and what they use up is not the share's any more.
    #expect(try await take(budget(), 20, owner) == 12)
    #expect(try await owner.query(short).one(String.self) == "s 4 true, t 16 true")
    let now = try await owner.query("SELECT settled.clock()").one(Timestamp.self)
    try await owner.execute(budget().note([.init(Self.quarter, used: 16, limit: 40)], ofCallAt: now))
    // Callers of the whole and of the share lock in one order.
    let pool = database.pool(.daemon, size: 8)
    let taken = try await withThrowingTaskGroup { group in
      for caller in 0..<8 {
        group.addTask {
          try await pool.withConnection { connection in
            var sum = 0
            for _ in 0..<10 {
              let budget = caller % 2 == 0 ? share : budget()
              sum += try await connection.transaction { try await budget.take(1, in: $0).granted }
            }
            return sum
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(taken == 24)
    let used = try await owner.query("SELECT used FROM settled.call_window WHERE budget = 's' AND seconds = 900")
      .one(Int64.self)
    #expect(used <= 10)
  }

  @Test func `a share of a share counts in both, and the whole keeps what neither may take`() async throws {
    let (_, owner) = try await world(quarter: 100, day: 1000)
    try await untilTrue("a window that lasts") { try await isFar(fromEndOf: Self.quarter, owner) }
    let claims = budget().share(quarters: 3, as: "c")
    let others = claims.share(quarters: 1, as: "o")
    #expect(try await take(others, 100, owner) == 25)
    #expect(try await take(claims, 100, owner) == 50)
    #expect(try await take(others, 1, owner) == 0)
    #expect(try await take(claims, 1, owner) == 0)
    let used = try await owner.query(
      """
      SELECT string_agg(budget || ' ' || used, ', ' ORDER BY budget) FROM settled.call_window WHERE seconds = 900
      """
    ).one(String.self)
    #expect(used == "c 75, o 25, t 75")
    #expect(try await take(budget(), 100, owner) == 25)
  }

  @Test func `a call budget without its setting throws and grants nothing`() async throws {
    let owner = try await SettledDatabase.real().connect()
    await #expect(throws: PostgresError.self) { try await take(budget(), 1, owner) }
  }
}
