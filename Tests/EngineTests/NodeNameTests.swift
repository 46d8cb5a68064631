@testable import Engine
@testable import Operations
import ControlAPI
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A node's name")
struct NodeNameTests {
  private func name(
    _ node: String = "twin", time: Timekeeper = TestTime.host,
    observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) -> NodeName {
    NodeName(node, time: time, observe: observe)
  }

  /// A time that stands but for pauses, which it counts and does not make.
  private final class Pauses: Sendable {
    let taken = Mutex<[Duration]>([])

    var timekeeper: Timekeeper {
      let real = TestTime.host
      return Timekeeper(
        now: { self.taken.withLock { $0.reduce(.zero, +) } }, boot: real.boot, bootId: real.bootId, wall: real.wall,
        sleep: { pause in self.taken.withLock { $0.append(pause) } }, draw: { 0 })
    }
  }

  @Test func `a node's name belongs to one daemon at a time, and is free once its session ends`() async throws {
    let database = try await SettledDatabase.real()
    let (first, second) = (name(), name())
    let held = try await database.connect(.daemon)
    #expect(try await first.claim(on: held) == nil)
    #expect(!first.isOpen && first.refusal == nil)
    #expect(try await name("other").claim(on: database.connect(.daemon)) == nil)
    let waiting = try await database.connect(.daemon)
    let refusal = try #require(try await second.claim(on: waiting))
    #expect(
      refusal.hasPrefix(
        "another daemon is running as node twin: it is connected from the machine of the database since 2"))
    #expect(second.refusal?.code == .nameTaken)
    await held.close()
    let third = name()
    #expect(try await third.claim(on: waiting) == nil)
    #expect(third.refusal == nil)
  }

  @Test func `a node's name in use is tried ever more seldom, and its holder is listed as a problem`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let held = try await database.connect(.daemon)
    #expect(try await name().claim(on: held) == nil)
    let (pauses, monitor) = (Pauses(), NodeMonitor(time: TestTime.host))
    let seen = Mutex<[[String]]>([])
    let second = name(time: pauses.timekeeper) { observation in
      monitor.note(observation)
      seen.withLock { $0.append(NodeStatus(monitor.current, now: .zero).problems) }
    }
    let refusal = try await second.claim(on: database.connect(.daemon))
    #expect(refusal?.contains("another daemon is running as node twin") == true)
    let problems = seen.withLock { $0 }
    #expect(problems.count == 2)
    #expect(
      problems.first?.contains {
        $0.hasPrefix("this node is waiting for its name: another daemon is running as node twin: ")
      }
        == true)
    #expect(problems.last?.contains { $0.hasPrefix("this node is waiting for its name") } == false)
    let taken = pauses.taken.withLock { $0.map(\.milliseconds) }
    #expect(taken.prefix(5) == [50, 100, 200, 400, 800])
    #expect(taken.count <= 8)
    await held.close()
  }

  @Test func `a locked node row names the lock's holders, and the listener keeps its pauses`() async throws {
    let database = try await SettledDatabase.real()
    let (owner, session) = (try await database.connect(), try await database.connect(.daemon))
    try await owner.script(
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state) VALUES ('twin', '1', now(), now(), 'stopped');
      BEGIN; SELECT FROM settled.node WHERE node = 'twin' FOR UPDATE
      """)
    let monitor = NodeMonitor(time: TestTime.host)
    let name = name { monitor.note($0) }
    let error = await #expect(throws: PostgresError.self) { try await name.claim(on: session) }
    #expect(error?.sqlState == "55P03")
    #expect(monitor.current.nameHolder == "its row is locked by sessions with these PIDs: \(owner.backendPID)")
    try await owner.script("COMMIT")
    #expect(try await name.claim(on: session) == nil)
    #expect(monitor.current.nameHolder == nil)
  }

  @Test func `an app cannot take a node's name by the advisory lock of earlier releases`() async throws {
    let database = try await SettledDatabase.real()
    let app = try await database.connect(.app)
    try await app.execute("SELECT pg_advisory_lock(hashtextextended('settled node twin', 0))")
    #expect(try await name().claim(on: database.connect(.daemon)) == nil)
    await app.close()
  }

  @Test func `a node's name is free when another session has its holder's process id`() async throws {
    let database = try await SettledDatabase.real()
    let (owner, other) = (try await database.connect(), try await database.connect(.daemon))
    let first = try await database.connect(.daemon)
    #expect(try await name().claim(on: first) == nil)
    try await owner.execute("UPDATE settled.node SET backend_pid = \(other.backendPID)")
    #expect(try await name().claim(on: database.connect(.daemon)) == nil)
    _ = try await other.query("SELECT 1")
    await first.close()
  }

  @Test func `nodes are listed with their state and the time since they were last seen`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state) VALUES
        ('killed', '1', now() - interval '1 hour', clock_timestamp() - interval '100 s', 'ready'),
        ('ahead', '1', now(), clock_timestamp() + interval '1 hour', 'ready'),
        ('over', '1', now(), clock_timestamp(), 'stopped')
      """)
    let command = try #require(EngineHandlers.commands.first { $0.name == "nodes" })
    let caller = AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read)
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

  @Test func `a daemon takes its name back from its own dead session before the server notices`() async throws {
    let database = try await SettledDatabase.real()
    let name = name()
    let old = try await database.connect(.daemon)
    #expect(try await name.claim(on: old) == nil)
    #expect(try await name.claim(on: database.connect(.daemon)) == nil)
    await #expect(throws: PostgresError.self) { try await old.query("SELECT 1") }
  }

  @Test func `a node's name has no holder behind a proxy, and its row reveals a second daemon`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let session = try await database.connect(.daemon)
    let foreign = NodeStatements.claim(node: "twin", backend: session.backendPID + 1, last: nil)
    let answer = try await session.pipeline(foreign).last?.one(Bool.self, Timestamp?.self, String.self, Timestamp?.self)
    #expect(answer?.0 == false && answer?.1 == nil)
    let (older, younger) = (name(), name())
    for name in [older, younger] { name.leaveUnproven() }
    for name in [older, younger] {
      name.registered(
        at: try await owner.query(NodeStatements.register(node: "twin", version: "1", hasProvider: false)).one(
          Bool.self, Timestamp.self
        ).1)
    }
    let holders: Statement = "SELECT count(*) FROM settled.node WHERE backend_pid IS NOT NULL"
    #expect(try await owner.query(holders).one(Int64.self) == 0)
    let row = try await owner.query(NodeStatements.beat(node: "twin", state: "ready", needsNotify: false)).one(
      Timestamp.self)
    #expect(older.noteSharing(startedAt: row) == true)
    #expect(older.noteSharing(startedAt: row) == nil, "it is said once")
    #expect(younger.noteSharing(startedAt: row) == nil)
  }
}
