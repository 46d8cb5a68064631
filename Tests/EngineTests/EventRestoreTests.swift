import Postgres
import TestSupport
import Testing

@Suite("Events in a restored database", .timeLimit(.minutes(2)))
struct EventRestoreTests {
  private static func page(_ session: Connection, after: String?) async throws -> [String] {
    try await session.query("SELECT position || key FROM settled.events(\(after), 500)").decode(String.self)
  }

  @Test func `a restored database gives no position that the lost history gave, and pending events are numbered once`()
    async throws
  {
    let old = try await SettledDatabase.simulated()
    let session = try await old.connect()
    for key in ["a", "b", "c"] {
      _ = try await session.query("SELECT settled.emit('test', \(key), '{}', settled.clock())")
    }
    _ = try await session.query("SELECT settled.number_events(2)")
    let copy = try await TestCluster.shared.database()
    try Dump.copy(from: old.url(.owner), to: copy.url())
    let restored = try await copy.connect()
    for key in ["d", "e"] {
      _ = try await restored.query("SELECT settled.emit('test', \(key), '{}', settled.clock())")
    }
    #expect(try await restored.query("SELECT settled.number_events(2)").one(Int32.self) == 2)
    #expect(try await restored.query("SELECT settled.number_events(2)").one(Int32.self) == 1)
    let new = ["1000000000000003c", "1000000000000004d", "1000000000000005e"]
    #expect(try await Self.page(restored, after: nil) == ["1a", "2b"] + new)
    #expect(try await Self.page(restored, after: "2") == new, "a reader at a position that both have continues")
    #expect(try await Self.page(restored, after: "1000000000000004") == [new[2]])

    // The reader of the lost history had seen c, which has another position now.
    _ = try await session.query("SELECT settled.number_events(10)")
    #expect(try await Self.page(session, after: "2") == ["3c"])
    for position in ["3", "4", "1000000000000002", "2000000000000003"] {
      let refusal = await #expect(throws: PostgresError.self) { try await Self.page(restored, after: position) }
      #expect(refusal?.detail == #"{"rule": "position", "oldest": "0"}"#, "\(position)")
    }
  }

  @Test func `the epoch rises above each position that a node remembers and the database has lost`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    func raise(_ remembered: Int64) async throws -> Int64 {
      try await session.query("SELECT settled.raise_epoch(\(remembered))").one(Int64.self)
    }
    #expect(try await raise(0) == 0)
    #expect(try await raise(0) == 0)
    #expect(try await raise(7) == 1)
    #expect(try await raise(7) == 1, "noticed twice")
    #expect(try await raise(3_000_000_000_000_007) == 4)
    #expect(try await raise(7) == 4)
    _ = try await session.query("SELECT settled.emit('test', 'a', '{}', settled.clock())")
    #expect(try await session.query("SELECT settled.number_events(1)").one(Int32.self) == 1)
    #expect(try await Self.page(session, after: "0") == ["4000000000000001a"])
  }
}
