import Postgres
import TestSupport
import Testing

@Suite("Events") struct EventTests {
  private static func emit(_ key: String) -> String {
    "SELECT settled.emit('t', '\(key)', '{\"k\": \"\(key)\"}', '2031-06-02T09:00:00Z')"
  }

  /// The positions and keys of a page.
  private func page(_ session: Connection, _ arguments: String) async throws -> [String] {
    try await session.value(
      "SELECT coalesce(array_agg(\"position\" || key), '{}') FROM settled.events(\(arguments))", as: [String].self)
  }

  @Test func `events have no position until they are numbered, in the order of writing`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    for key in ["a", "b", "c"] { try await session.run(Self.emit(key)) }
    #expect(try await page(session, "").isEmpty)
    #expect(try await session.value("SELECT settled.number_events(2)", as: Int32.self) == 2)
    #expect(try await page(session, "") == ["1a", "2b"])
    #expect(try await session.value("SELECT settled.number_events(2)", as: Int32.self) == 1)
    #expect(try await session.value("SELECT settled.number_events(2)", as: Int32.self) == 0)
    #expect(try await page(session, "") == ["1a", "2b", "3c"])
    try await session.expect(
      "(SELECT jsonb_agg(to_jsonb(e)) FROM settled.events('2') e)",
      is: """
        [{"position": "3", "topic": "t", "key": "c", "payload": {"k": "c"}, "occurred_at": "2031-06-02T09:00:00+00:00"}]
        """)
  }

  @Test func `events are paged by the last position`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    for key in ["a", "b", "c", "d", "e"] { try await session.run(Self.emit(key)) }
    _ = try await session.query("SELECT settled.number_events(100)")
    #expect(try await page(session, "null, 2") == ["1a", "2b"])
    #expect(try await page(session, "'2', 2") == ["3c", "4d"])
    try await session.run(Self.emit("f"))
    _ = try await session.query("SELECT settled.number_events(100)")
    #expect(try await page(session, "'4', 2") == ["5e", "6f"])
    #expect(try await page(session, "'6'").isEmpty)
    #expect(try await page(session, "'0'") == ["1a", "2b", "3c", "4d", "5e", "6f"])
    for bad in [
      "'00'", "'01'", "'-1'", "'1.0'", "''", "'x'", "' 1'", "'9223372036854775808'", "repeat('1', 20000)",
    ] {
      #expect(try await session.tried("SELECT settled.events(\(bad))") == "SD400 after", "\(bad)")
    }
    for foreign in ["'7'", "'1000000000000000'", "'1000000000000006'", "'8999999999999999999'"] {
      #expect(try await session.tried("SELECT settled.events(\(foreign))") == "SD409 position", "\(foreign)")
    }
  }

  /// The slow writer began first and commits last: its event gets a position that nobody has passed.
  @Test func `events of a slow writer come after those already read, and are not missed`() async throws {
    let database = try await SettledDatabase.simulated()
    let (slow, fast, reader) = (
      try await database.connect(), try await database.connect(), try await database.connect(.app)
    )
    try await slow.transaction { transaction in
      try await transaction.run(Self.emit("slow"))
      try await fast.run(Self.emit("fast"))
      _ = try await fast.query("SELECT settled.number_events(100)")
      #expect(try await page(reader, "") == ["1fast"])
    }
    _ = try await fast.query("SELECT settled.number_events(100)")
    #expect(try await page(reader, "'1'") == ["2slow"])
  }

  @Test func `a reader behind pruned events gets an error`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    for key in ["a", "b", "c", "d", "e"] { try await session.run(Self.emit(key)) }
    _ = try await session.query("SELECT settled.number_events(100)")
    try await session.run("DELETE FROM settled.event WHERE position <= 3")
    // Rows are gone, and the counter does not say so yet: the gap itself tells.
    #expect(try await session.tried("SELECT settled.events('2')") == "SD409 position")
    #expect(try await page(session, "'3'") == ["4d", "5e"])
    try await session.run("UPDATE settled.event_counter SET pruned_through = 3")
    for gone in ["'0'", "'1'", "'2'"] {
      #expect(try await session.tried("SELECT settled.events(\(gone))") == "SD409 position")
    }
    for kept in ["'3'", "null"] { #expect(try await page(session, kept) == ["4d", "5e"]) }
    try await session.script("DELETE FROM settled.event; UPDATE settled.event_counter SET pruned_through = 5")
    for end in ["'5'", "null"] { #expect(try await page(session, end).isEmpty) }
    #expect(try await session.tried("SELECT settled.events('4')") == "SD409 position")
  }
}
