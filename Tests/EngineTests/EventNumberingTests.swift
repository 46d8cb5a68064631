import Engine
import Postgres
import TestSupport
import Testing

@Suite("Events", .timeLimit(.minutes(2)))
struct EventNumberingTests {
  private static func emit(_ key: String, _ session: some Session) async throws {
    _ = try await session.query("SELECT settled.emit('test', \(key), '{}', settled.clock())")
  }

  private static func number(_ session: Connection) async throws -> Int32 {
    try await session.query("SELECT settled.number_events(1000)").one(Int32.self)
  }

  /// Position and key after a position.
  private static func read(_ session: Connection, after: String? = nil) async throws -> [(String, String)] {
    try await session.query("SELECT position, key FROM settled.events(\(after), 500)").decode(String.self, String.self)
  }

  @Test func `events of a slow writer come after those that were returned while it wrote`() async throws {
    let database = try await SettledDatabase.simulated()
    let (slow, fast) = (try await database.connect(), try await database.connect())
    try await slow.script("BEGIN; SELECT settled.emit('test', 'slow', '{}', settled.clock())")
    try await Self.emit("fast", fast)
    #expect(try await Self.number(fast) == 1)
    #expect(try await Self.read(fast).map { [$0.0, $0.1] } == [["1", "fast"]])
    try await slow.script("COMMIT")
    #expect(try await Self.number(fast) == 1)
    #expect(try await Self.read(fast, after: "1").map { [$0.0, $0.1] } == [["2", "slow"]])
    #expect(try await Self.number(fast) == 0)
  }

  @Test func `events of a rolled back transaction leave no gap`() async throws {
    let database = try await SettledDatabase.simulated()
    let session = try await database.connect()
    try await session.script("BEGIN; SELECT settled.emit('test', 'lost', '{}', settled.clock()); ROLLBACK")
    try await session.script("BEGIN; SELECT settled.emit('test', 'a', '{}', settled.clock()); COMMIT")
    try await session.script("BEGIN; SELECT settled.number_events(10); ROLLBACK")
    #expect(try await Self.number(session) == 1)
    try await Self.emit("b", session)
    #expect(try await Self.number(session) == 1)
    #expect(try await Self.read(session).map(\.0) == ["1", "2"])
  }

  @Test func `events numbered by several nodes have no gap, and none appears behind a reader`()
    async throws
  {
    let database = try await SettledDatabase.simulated()
    var random = SeededGenerator()
    let writers = (0..<4).map { writer in
      var random = SeededGenerator(seed: random.next())
      return Task {
        let session = try await database.connect()
        for round in 0..<60 {
          let (events, isLost) = (Int.random(in: 1...4, using: &random), Int.random(in: 0..<8, using: &random) == 0)
          try await session.transaction(commit: !isLost) { transaction in
            for event in 0..<events {
              try await Self.emit("\(isLost ? "lost" : "w")\(writer)-\(round)-\(event)", transaction)
            }
          }
        }
      }
    }
    let stop = StopFlag()
    let numberers = (0..<3).map { _ in
      let numbering = EventNumbering(pool: database.pool(size: 2))
      return Task { while !stop.isRequested { try await numbering.runAllDue() } }
    }
    let reader = Task {
      let session = try await database.connect()
      var (seen, last): ([String], String?) = ([], nil)
      while true {
        let isOver = stop.isRequested
        let page = try await Self.read(session, after: last)
        #expect(page.map(\.0) == page.indices.map { "\(seen.count + $0 + 1)" })
        seen += page.map(\.1)
        last = page.last?.0 ?? last
        if isOver, page.isEmpty { return seen }
      }
    }
    for writer in writers { try await writer.value }
    let session = try await database.connect()
    try await untilTrue("an empty line") {
      try await session.query("SELECT count(*) FROM settled.event_pending").one(Int64.self) == 0
    }
    stop.request()
    for numberer in numberers { try await numberer.value }
    let seen = try await reader.value
    let kept = try await session.query("SELECT key FROM settled.event ORDER BY position").decode(String.self)
    #expect(seen == kept, "\(random)")
    #expect(Set(seen).count == seen.count && !seen.contains { $0.hasPrefix("lost") })
    #expect(seen.count > 300)
  }
}
