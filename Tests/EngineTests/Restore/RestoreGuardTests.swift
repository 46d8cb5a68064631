import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("A restored database") struct RestoreGuardTests {
  /// A node's state directory.
  private final class Memory: Sendable {
    let line = Mutex<String?>(nil)
    let seen = Mutex<[String]>([])
    let durable = Mutex(0)

    var storage: HistoryStorage {
      HistoryStorage(read: { self.line.withLock { $0 } }) { line, isDurable in
        self.line.withLock { $0 = line }
        if isDurable { self.durable.withLock { $0 += 1 } }
      }
    }

    func guarding(_ node: String = "a", marks: [HistoryMark] = []) -> RestoreGuard {
      RestoreGuard(node: node, jobs: ["careful"], marks: marks, storage: storage) { observation in
        self.seen.withLock { $0.append("\(observation)") }
      }
    }
  }

  private let database: SettledDatabase
  private let session: Connection

  init() async throws {
    database = try await SettledDatabase.real()
    session = try await database.connect()
    try await session.execute(NodeStatements.register(node: "a", version: "1", hasProvider: false))
  }

  private func beat(_ guarding: RestoreGuard, node: String = "a") async throws {
    try await guarding.look(session)
    try await session.execute(NodeStatements.beat(node: node, state: "ready", needsNotify: false))
    try await guarding.remember(session)
  }

  private func poll(_ guarding: RestoreGuard) async throws {
    let statement = DueSnapshot.statement(of: [EventNumbering(pool: database.pool())], marks: guarding.newestMarks)
    let snapshot = try await DueSnapshot(session.query(statement))
    guarding.note(snapshot.marks)
  }

  private var isStopped: Bool {
    get async throws { try await session.query("SELECT settled.is_stopped('careful')").one(Bool.self) }
  }

  @Test func `a restored database stops work that must not repeat until an operator accepts it`() async throws {
    let memory = Memory()
    let before = memory.guarding()
    try await beat(before)
    try await beat(before)
    try await session.execute("UPDATE settled.node SET beats = 1 WHERE node = 'a'")
    let after = memory.guarding()
    try await after.look(session)
    #expect(try await isStopped)
    #expect(try await session.query("SELECT settled.may_claim('careful')").one(Bool.self) == false)
    #expect(try await session.query("SELECT settled.may_claim('other')").one(Bool.self))
    let problem = try await session.query("SELECT problem FROM settled.problem WHERE name = 'restore'").one(String.self)
    #expect(problem.contains("1 of the 2 heartbeats from node a"))
    // Its knowledge is kept meanwhile, and reported once.
    let line = memory.line.withLock { $0 }
    try await beat(after)
    #expect(memory.line.withLock { $0 } == line)
    #expect(memory.seen.withLock { $0.count } == 1)

    #expect(try await session.execute(RestoreStatements.accept) == 1)
    #expect(try await !isStopped)
    try await beat(after)
    #expect(try await !isStopped)
    #expect(memory.line.withLock { $0 } != line)
  }

  @Test func `a restored database is recognised by a missing mark, also under a new node name`() async throws {
    let memory = Memory()
    try await session.script("CREATE TABLE public.head (at bigint); INSERT INTO public.head VALUES (7)")
    let mark = HistoryMark(
      name: "head", isMissing: "it lacks the head", newest: "SELECT max(at)::text FROM public.head"
    ) { "SELECT EXISTS (SELECT FROM public.head WHERE at::text = \($0))" }
    try await beat(memory.guarding(marks: [mark]))
    try await session.execute("UPDATE public.head SET at = 6")
    try await memory.guarding("other", marks: [mark]).look(session)
    #expect(try await isStopped)
    let finding = try await session.query("SELECT finding FROM settled.restoration").one(String.self)
    #expect(finding == "it lacks the head 7")
  }

  @Test func `lost events are noticed, and later ones get positions of a higher epoch`() async throws {
    let memory = Memory()
    for key in ["a", "b"] { try await session.execute("SELECT settled.emit('test', \(key), '{}', settled.clock())") }
    try await session.execute("SELECT settled.number_events(10)")
    try await beat(memory.guarding())
    try await session.script(
      "DELETE FROM settled.event WHERE position = 2; UPDATE settled.event_counter SET last_position = 1")
    try await memory.guarding().look(session)
    #expect(try await isStopped)
    let finding = try await session.query("SELECT finding FROM settled.restoration").one(String.self)
    #expect(finding == "it has lost the event at position 2")
    try await session.execute("SELECT settled.emit('test', 'c', '{}', settled.clock())")
    try await session.execute("SELECT settled.number_events(10)")
    let positions = try await session.query("SELECT position FROM settled.events('1')").decode(String.self)
    #expect(positions == ["1000000000000002"])
  }

  private func emit(_ key: String) async throws {
    try await session.execute("SELECT settled.emit('test', \(key), '{}', settled.clock())")
    try await session.execute("SELECT settled.number_events(10)")
  }

  private func position(in memory: Memory) -> String? {
    memory.line.withLock { $0 }.flatMap { KeptHistory(line: $0)?.marks["event"] }
  }

  @Test func `the newest is remembered at each poll, and durably at a stop`() async throws {
    let memory = Memory()
    let guarding = memory.guarding()
    try await poll(guarding)
    #expect(position(in: memory) == nil, "nothing is remembered before a heartbeat")
    try await beat(guarding)
    for (key, expected) in [("a", "1"), ("b", "2"), ("c", "3")] {
      try await emit(key)
      try await poll(guarding)
      #expect(position(in: memory) == expected)
    }
    #expect(memory.durable.withLock { $0 } == 1)
    guarding.finish()
    #expect(position(in: memory) == "3" && memory.durable.withLock { $0 } == 2)
  }

  @Test func `a poll does not replace the memory of what the database has lost`() async throws {
    let memory = Memory()
    let guarding = memory.guarding()
    for key in ["a", "b"] { try await emit(key) }
    try await beat(guarding)
    try await session.script(
      "DELETE FROM settled.event WHERE position = 2; UPDATE settled.event_counter SET last_position = 1")
    try await poll(guarding)
    #expect(position(in: memory) == "2")
    #expect(try await !isStopped, "only a look judges")
    try await guarding.look(session)
    #expect(try await isStopped)
  }

  @Test func `a loss that a poll has seen is found without a heartbeat between, and is not forgotten`() async throws {
    let memory = Memory()
    let guarding = memory.guarding()
    try await beat(guarding)
    try await emit("a")
    try await poll(guarding)
    try await session.script("DELETE FROM settled.event; UPDATE settled.event_counter SET last_position = 0")
    try await memory.guarding().look(session)
    #expect(try await isStopped)
    try await poll(guarding)
    #expect(position(in: memory) == "1", "not while a finding waits")
  }

  @Test func `a poll remembers nothing of a database that lost heartbeats, was copied, or is another one`() async throws
  {
    let memory = Memory()
    let guarding = memory.guarding()
    try await beat(guarding)
    try await beat(guarding)
    let line = memory.line.withLock { $0 }
    try await emit("a")
    for (change, back) in [
      ("UPDATE settled.node SET beats = 1 WHERE node = 'a'", "UPDATE settled.node SET beats = 2 WHERE node = 'a'"),
      (
        "UPDATE settled.installation SET home = 'elsewhere/1'", "UPDATE settled.installation SET home = settled.place()"
      ),
    ] {
      try await session.script(change)
      try await poll(guarding)
      #expect(memory.line.withLock { $0 } == line, "\(change)")
      try await session.script(back)
    }
    try await session.script("UPDATE settled.installation SET id = gen_random_uuid()")
    try await poll(guarding)
    #expect(memory.line.withLock { $0 } == line)
  }

  @Test func `works are polled each alone when the marks cannot be read`() async throws {
    let works = [EventNumbering(pool: database.pool())]
    let poll = DuePoll(works: works, marks: "SELECT ARRAY[(1 / (SELECT 0))::text]", time: TestTime.host)
    let (snapshot, failed) = try await poll.poll([works[0].name], returning: [], session)
    #expect(snapshot.items.keys.sorted() == [works[0].name] && snapshot.marks == nil && failed.isEmpty)
  }

  @Test func `a removed node row alone does not mark a database as restored`() async throws {
    let memory = Memory()
    try await beat(memory.guarding())
    var kept = try #require(memory.line.withLock { $0 }.flatMap { KeptHistory(line: $0) })
    try await session.execute("DELETE FROM settled.node WHERE node = 'a'")
    kept.at -= 26 * 86_400 * 1_000_000
    memory.line.withLock { [kept] in $0 = kept.line }
    try await memory.guarding().look(session)
    #expect(try await !isStopped)
    kept.at += 2 * 86_400 * 1_000_000
    memory.line.withLock { [kept] in $0 = kept.line }
    try await memory.guarding().look(session)
    #expect(try await isStopped)
  }

  @Test func `an accepted restore also holds for nodes that were down then`() async throws {
    let memory = Memory()
    let down = memory.guarding()
    try await beat(down)
    try await session.execute("UPDATE settled.node SET beats = 0 WHERE node = 'a'")
    try await session.execute(
      RestoreStatements.stop(node: "b", timeline: 1, finding: "found by another", jobs: ["careful"]))
    try await session.execute(RestoreStatements.accept)
    try await memory.guarding().look(session)
    #expect(try await !isStopped)
  }

  @Test func `a failover or another installation is not taken for a restored database`() async throws {
    let memory = Memory()
    try await beat(memory.guarding())
    let kept = try #require(memory.line.withLock { $0 }.flatMap { KeptHistory(line: $0) })
    var other = kept
    other.timeline += 1
    memory.line.withLock { $0 = other.line }
    try await memory.guarding().look(session)
    #expect(memory.seen.withLock { $0 } == ["timelineChanged(\(kept.timeline))"])
    other = kept
    other.beats = 100
    other.installation = "00000000-0000-0000-0000-000000000000"
    memory.line.withLock { $0 = other.line }
    let another = memory.guarding()
    try await another.look(session)
    #expect(try await !isStopped)
    #expect(memory.seen.withLock { $0.last }?.contains("is not the one that this node remembers") == true)
    try await another.look(session)
    #expect(memory.seen.withLock { $0.count } == 2)
  }

  private var home: String? {
    get async throws {
      try await session.query("SELECT home FROM settled.installation").one(String?.self)
    }
  }

  @Test func `the first node that meets a database writes where it lives, and another place stops its jobs`()
    async throws
  {
    let memory = Memory()
    try await memory.guarding().look(session)
    #expect(try await home == session.query("SELECT settled.place()").one(String.self))
    #expect(try await !isStopped)
    try await session.execute("UPDATE settled.installation SET home = 'another/1'")
    try await memory.guarding().look(session)
    #expect(try await isStopped)
    #expect(memory.seen.withLock { $0.last?.contains("it was in another/1") } == true)
  }

  @Test(arguments: [true, false])
  func `a database without a home whose nodes fell silent is doubted by a node that does not know it`(isKnown: Bool)
    async throws
  {
    let memory = Memory()
    if isKnown { try await beat(memory.guarding()) }
    try await session.script(
      """
      UPDATE settled.migration SET applied_at = applied_at - interval '1 day';
      UPDATE settled.installation SET home = NULL;
      UPDATE settled.node SET beats = 9, last_seen_at = last_seen_at - interval '1 hour'
      """)
    try await memory.guarding().look(session)
    #expect(try await isStopped != isKnown)
    #expect(try await session.query(RestoreStatements.isElsewhere).one(Bool.self) != isKnown)
  }

  @Test func `a database that is upgraded from a release without a memory is not doubted`() async throws {
    let memory = Memory()
    try await beat(memory.guarding())
    try await session.script(
      """
      UPDATE settled.installation SET home = NULL;
      UPDATE settled.migration SET applied_at = clock_timestamp() WHERE number = 29;
      UPDATE settled.node SET beats = 9, last_seen_at = last_seen_at - interval '1 hour'
      """)
    try await Memory().guarding().look(session)
    #expect(try await !isStopped)
    #expect(try await home == session.query("SELECT settled.place()").one(String.self))
  }

  @Test func `a node whose finding of the place was answered meanwhile stops nothing`() async throws {
    let stop = RestoreStatements.stop(node: "a", timeline: 1, finding: "f", jobs: ["careful"], isOfPlace: true)
    #expect(try await session.execute(stop) == 0)
    #expect(try await !isStopped)
  }
}
