import Postgres
import TestSupport
import Testing

@testable import Engine

@Suite("A node's name")
struct NodeNameTests {
  private func name(_ node: String = "twin", ownsSessions: Bool = true) -> NodeName {
    NodeName(node, ownsSessions: ownsSessions, time: TestNode.timekeeper)
  }

  @Test("is one daemon's at a time, and free as soon as its session has ended")
  func one() async throws {
    let database = try await SettledDatabase.real()
    let (first, second) = (name(), name())
    let held = try await database.connect(.daemon)
    #expect(try await first.claim(on: held) == nil)
    #expect(!first.isOpen && first.refusal == nil)
    #expect(try await name("other").claim(on: database.connect(.daemon)) == nil)
    let waiting = try await database.connect(.daemon)
    let refusal = try #require(try await second.claim(on: waiting))
    #expect(
      refusal.hasPrefix("another daemon runs as node twin: it is connected from the machine of the database since 2"))
    #expect(second.refusal?.code == .nameTaken)
    await held.close()
    let third = name()
    #expect(try await third.claim(on: waiting) == nil)
    #expect(third.refusal == nil)
  }

  @Test("is listed with its state and how long it has been silent")
  func listed() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state) VALUES
        ('killed', '1', now() - interval '1 hour', clock_timestamp() - interval '100 s', 'ready'),
        ('ahead', '1', now(), clock_timestamp() + interval '1 hour', 'ready'),
        ('over', '1', now(), clock_timestamp(), 'stopped')
      """)
    let command = try #require(HouseCommands.commands.first { $0.name == "nodes" })
    let caller = Caller(uid: 7, gid: 7, pid: 7, level: .read)
    let answer = try await CommandDispatcher([command], pool: database.pool(), node: "test")
      .run(command, CommandCall(caller: caller, requestId: nil, values: [:]))
    let rows = try await owner.query(
      """
      SELECT n ->> 'node', n ->> 'state', (n ->> 'silentMs')::bigint FROM jsonb_array_elements(\(JSON(text: answer))) AS n
      """
    ).decode(String.self, String.self, Int64.self)
    #expect(rows.map { "\($0.0) \($0.1)" } == ["ahead ready", "killed ready", "over gone"])
    #expect(rows[0].2 == 0 && (100_000..<150_000).contains(rows[1].2) && (0..<50_000).contains(rows[2].2))
  }

  @Test("is taken back from the daemon's own session that the server has not missed yet")
  func own() async throws {
    let database = try await SettledDatabase.real()
    let name = name()
    let old = try await database.connect(.daemon)
    #expect(try await name.claim(on: old) == nil)
    #expect(try await name.claim(on: database.connect(.daemon)) == nil)
    await #expect(throws: PostgresError.self) { try await old.query("SELECT 1") }
  }

  @Test("has no lock where the session is a proxy's, and a second daemon is noticed by its row")
  func proxy() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let session = try await database.connect(.daemon)
    let foreign = NodeStatements.claim(node: "twin", backend: session.backendPID + 1)
    let answer: Bool? = try await session.query(foreign).one(Bool?.self)
    #expect(answer == nil)
    let (older, younger) = (name(ownsSessions: false), name(ownsSessions: false))
    for name in [older, younger] {
      #expect(try await name.claim(on: session) == nil)
      name.registered(
        at: try await owner.query(NodeStatements.register(node: "twin", version: "1")).one(Bool.self, Timestamp.self).1)
    }
    let locks: Statement = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = \(session.backendPID)"
    #expect(try await owner.query(locks).one(Int64.self) == 0)
    let row = try await owner.query(NodeStatements.startedAt(node: "twin")).one(Timestamp.self)
    #expect(older.noteSharing(startedAt: row) == true)
    #expect(older.noteSharing(startedAt: row) == nil, "it is said once")
    #expect(younger.noteSharing(startedAt: row) == nil)
  }
}
