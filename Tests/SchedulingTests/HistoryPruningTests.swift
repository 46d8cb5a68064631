import Engine
import Operations
import ControlAPI
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("The pruning of history")
struct HistoryPruningTests {
  private static func own(at instant: String = "2031-01-15T12:00:00Z", time: Timekeeper? = nil) async throws
    -> BuiltInSchedules
  {
    let database = try await SettledDatabase.simulated()
    try await database.setClock(instant)
    return try await BuiltInSchedules(database, time: time)
  }

  private static func partitions(_ own: BuiltInSchedules, of table: String) async throws -> [String] {
    try await own.owner.query(
      """
      SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = \(table)::text::regclass ORDER BY 1
      """
    ).decode(String.self)
  }

  /// The daemon's role, which owns no table, does all this.
  @Test func `pruning makes this month's partition and the next two, with rows from the default one`() async throws {
    let own = try await Self.own()
    try await own.owner.execute(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, finished_at)
      SELECT 'mine', t, 'ran', t, t, t FROM unnest(ARRAY['2030-11-30T23:59:59Z', '2030-12-01T00:00:00Z',
        '2031-01-31T23:59:59Z', '2031-02-01T00:00:00Z', '2031-12-01T00:00:00Z']::timestamptz[]) AS t
      """)
    #expect(try await own.run("history-pruning") == "ran")
    #expect(
      try await Self.partitions(own, of: "settled.occurrence") == [
        "occurrence_2030_11", "occurrence_2030_12", "occurrence_2031_01", "occurrence_2031_02", "occurrence_2031_03",
        "occurrence_2031_12", "occurrence_default",
      ])
    for (partition, rows) in [("2030_11", 1), ("2030_12", 1), ("2031_02", 1), ("2031_03", 0), ("2031_12", 1)] {
      let count = try await own.count(
        "SELECT count(*) FROM settled.occurrence_\(raw: partition) WHERE schedule = 'mine'")
      #expect(count == Int64(rows), "\(partition)")
    }
    #expect(try await own.count("SELECT count(*) FROM settled.occurrence_default") == 0)
    #expect(try await own.count("SELECT count(*) FROM settled.occurrence WHERE schedule = 'mine'") == 5)
    // A tick is still there once, and found by its key: in a partition as in the default.
    await #expect(throws: PostgresError.self) {
      try await own.owner.execute(
        """
        INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at)
        VALUES ('mine', '2030-12-01T00:00:00Z', 'planned', now(), now())
        """)
    }
    let daemon = try await own.database.connect(.daemon)
    try await daemon.execute("UPDATE settled.occurrence SET rows = 1 WHERE schedule = 'mine'")
  }

  @Test func `pruning makes partitions of a new database at once, before rows would have to move`() async throws {
    let own = try await Self.own()
    try await own.work()
    #expect(try await own.last("history-pruning") == "ran")
    for (table, name) in [("settled.occurrence", "occurrence_2031_01"), ("checkins.entry", "entry_2031_01")] {
      #expect(try await Self.partitions(own, of: table).first == name)
    }
  }

  @Test func `pruning drops expired history and moves the ledger's start, and keeps unfinished rows`()
    async throws
  {
    let own = try await Self.own()
    try await own.run("history-pruning")
    try await own.owner.execute(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, finished_at)
      VALUES ('mine', '2031-01-20T00:00:00Z', 'ran', now(), now(), now()),
        ('mine', '2031-01-21T00:00:00Z', 'planned', now(), now(), NULL),
        ('mine', '2031-02-20T00:00:00Z', 'ran', now(), now(), now())
      """)
    // 400 days after the end of January 2031; a moment before it January stays.
    try await own.pass(to: "2032-03-06T23:59:59Z")
    #expect(try await own.last("history-pruning") == "ran")
    let january = "occurrence_2031_01"
    #expect(try await Self.partitions(own, of: "settled.occurrence").contains(january))
    try await own.database.setClock("2032-03-07T00:00:00Z")
    #expect(try await own.run("history-pruning") == "ran")
    #expect(try await !Self.partitions(own, of: "settled.occurrence").contains(january))
    let kept: Statement = "SELECT settled.iso(kept_from) FROM settled.occurrence_history"
    #expect(try await own.owner.query(kept).one(String.self) == "2031-02-01T00:00:00.000Z")
    let mine: Statement = "SELECT status FROM settled.occurrence WHERE schedule = 'mine' ORDER BY instant"
    #expect(try await own.owner.query(mine).decode(String.self) == ["planned", "ran"])
    // Another run leaves it where it is; once it has ended it goes too.
    try await own.run("history-pruning")
    #expect(try await own.owner.query(mine).decode(String.self) == ["planned", "ran"])
    #expect(try await !Self.partitions(own, of: "settled.occurrence").contains(january))
    try await own.owner.execute(
      "UPDATE settled.occurrence SET status = 'failed', reason = 'x', finished_at = now() WHERE status = 'planned'")
    try await own.run("history-pruning")
    #expect(try await own.owner.query(mine).decode(String.self) == ["ran"])
  }

  @Test func `the audit of ticks begins at the ledger's start, and finds no gap there`() async throws {
    let own = try await Self.own()
    try await own.owner.execute("SELECT settled.set('settled.occurrence_retention', '30 days')")
    for day in ["2031-02-01T04:00:00Z", "2031-03-05T04:00:00Z", "2031-04-12T04:00:00Z"] { try await own.pass(to: day) }
    #expect(try await own.count("SELECT count(*) FROM settled.occurrence WHERE instant < '2031-03-01Z'") == 0)
    let command = try #require(own.system.commands.first { $0.name == "audit.schedule" })
    let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .read)
    let answer = try await CommandDispatcher(own.system.commands, pool: own.pool, node: "one")
      .run(command, CommandCall(caller: caller, requestId: nil, values: [:]))
    #expect(answer.hasSuffix(#""gaps": [], "doubles": [], "gapCount": 0, "doubleCount": 0}"#), "\(answer.prefix(300))")
    #expect(try await own.count("SELECT count(*) FROM settled.schedule_period WHERE valid_to < '2031-03-01Z'") == 0)
  }

  private static func emit(_ own: BuiltInSchedules, _ key: String, numbered: Bool = true) async throws {
    _ = try await own.owner.query("SELECT settled.emit('test', \(key), '{}', settled.clock())")
    if numbered { _ = try await own.owner.query("SELECT settled.number_events(1000)") }
  }

  private static func read(_ own: BuiltInSchedules, after: String?) async throws -> [String] {
    try await own.owner.query("SELECT position || ' ' || key FROM settled.events(\(after), 500) WHERE topic = 'test'")
      .decode(String.self)
  }

  @Test func `events are kept for their retention after numbering; later a reader behind them gets an error`()
    async throws
  {
    let own = try await Self.own()
    try await own.owner.execute("SELECT settled.set('settled.event_retention', '20 days')")
    try await Self.emit(own, "a")
    #expect(try await own.run("history-pruning") == "ran")
    #expect(try await Self.partitions(own, of: "settled.event") == ["event_1", "event_default"])
    try await Self.emit(own, "b")
    // Written long ago and numbered today: its time begins today.
    try await Self.emit(own, "late", numbered: false)
    try await own.database.setClock("2031-01-20T12:00:00Z")
    try await own.run("history-pruning")
    #expect(try await Self.partitions(own, of: "settled.event") == ["event_1", "event_default"])
    try await own.database.setClock("2031-02-04T11:59:59Z")
    _ = try await own.owner.query("SELECT settled.number_events(1000)")
    try await own.run("history-pruning")
    #expect(try await Self.read(own, after: nil) == ["1 a", "2 b", "3 late"])
    #expect(try await Self.partitions(own, of: "settled.event") == ["event_1", "event_3", "event_default"])
    try await own.database.setClock("2031-02-04T12:00:00Z")
    try await own.run("history-pruning")
    #expect(try await Self.partitions(own, of: "settled.event") == ["event_3", "event_default"])
    #expect(try await Self.read(own, after: nil) == ["2 b", "3 late"])
    #expect(try await Self.read(own, after: "1") == ["2 b", "3 late"])
    let refusal = await #expect(throws: PostgresError.self) { try await Self.read(own, after: "0") }
    #expect(refusal?.sqlState == "SD409" && refusal?.detail == #"{"rule": "position", "oldest": "1"}"#)
    try await Self.emit(own, "c")
    #expect(try await Self.read(own, after: "3") == ["4 c"])
    // Everything goes, also what waits; nothing that has no number does.
    try await Self.emit(own, "waiting", numbered: false)
    for day in ["2031-03-01", "2031-04-01", "2031-05-01", "2031-06-01"] {
      try await own.database.setClock("\(day)T12:00:00Z")
      try await own.run("history-pruning")
    }
    #expect(try await Self.read(own, after: nil) == [])
    #expect(try await Self.read(own, after: "4") == [])
    _ = try await own.owner.query("SELECT settled.number_events(1000)")
    #expect(try await Self.read(own, after: "4") == ["5 waiting"])
    // The daemon's role numbers into the new default partition.
    _ = try await own.pool.withConnection {
      try await $0.query("SELECT settled.emit('test', 'd', '{}', settled.clock())")
    }
    _ = try await own.pool.withConnection { try await $0.query("SELECT settled.number_events(1000)") }
    #expect(try await Self.read(own, after: "5") == ["6 d"])
  }

  @Test func `numbering beside closing and dropping loses no event and doubles none`() async throws {
    let own = try await Self.own()
    try await own.owner.execute("SELECT settled.set('settled.event_retention', '3650 days')")
    let stop = StopFlag()
    let writer = Task {
      let session = try await own.database.connect(.daemon)
      var written = 0
      while !stop.isRequested {
        _ = try await session.query("SELECT settled.emit('test', \("w\(written)"), '{}', settled.clock())")
        _ = try await session.query("SELECT settled.number_events(1000)")
        written += 1
      }
      return written
    }
    for day in 1...12 {
      try await own.owner.execute(
        "SELECT settled.set_clock('2031-02-01Z'::timestamptz + \(day * 8)::integer * interval '1 day')")
      try await own.run("history-pruning")
    }
    stop.request()
    let written = try await writer.value
    let seen = try await own.owner.query("SELECT key FROM settled.event WHERE topic = 'test' ORDER BY position")
      .decode(String.self)
    #expect(seen == (0..<written).map { "w\($0)" })
    #expect(try await own.count("SELECT max(position) - count(*) FROM settled.event") == 0)
    #expect(try await Self.partitions(own, of: "settled.event").count > 3)
  }

  @Test func `pruning gives up after a second behind a long reader, reports it, and finishes next time`()
    async throws
  {
    let naps = Mutex(0)
    let host = TestTime.host
    let time = Timekeeper(
      now: host.now, boot: host.boot, bootId: host.bootId, wall: host.wall,
      sleep: { duration in
        // Longer ones are not between attempts: the run is watched.
        guard duration < .seconds(4) else { return try await host.sleep(duration) }
        naps.withLock { $0 += 1 }
      }, draw: host.draw)
    let own = try await Self.own(time: time)
    try await Self.emit(own, "a")
    let reader = try await own.database.connect()
    try await reader.script("BEGIN; SELECT count(*) FROM settled.occurrence")
    #expect(
      try await own.run("history-pruning")
        == "failed other sessions locked settled.occurrence during each attempt: "
        + "look for long-running queries (pg_stat_activity), then run settlectl job run history-pruning")
    #expect(naps.withLock { $0 } == 2)
    #expect(try await Self.partitions(own, of: "settled.occurrence") == ["occurrence_default"])
    // The partitions that the reader does not lock are dropped.
    #expect(try await Self.partitions(own, of: "settled.event") == ["event_1", "event_default"])
    #expect(try await own.count("SELECT count(*) FROM settled.problem WHERE name = 'schedule history-pruning'") == 1)
    try await reader.script("COMMIT")
    #expect(try await own.run("history-pruning") == "ran")
    #expect(try await Self.partitions(own, of: "settled.occurrence").count == 4)
    #expect(try await own.count("SELECT count(*) FROM settled.problem") == 0)
  }

  @Test func `rows past every partition go to the default one, and the next run moves them`()
    async throws
  {
    let own = try await Self.own()
    try await own.run("history-pruning")
    try await own.database.setClock("2031-07-10T12:00:00Z")
    _ = try await own.system.works[0].runAllDue()
    #expect(try await own.count("SELECT count(*) FROM settled.occurrence_default") > 0)
    try await own.run("history-pruning")
    #expect(try await own.count("SELECT count(*) FROM settled.occurrence_default") == 0)
    #expect(try await Self.partitions(own, of: "settled.occurrence").contains("occurrence_2031_09"))
  }

  @Test func `the daemon's role can do nothing else to the tables that it prunes`() async throws {
    let own = try await Self.own()
    let daemon = try await own.database.connect(.daemon)
    for statement in [
      "DROP TABLE settled.occurrence_default", "TRUNCATE settled.event", "CREATE TABLE settled.mine ()",
      "ALTER TABLE settled.event DETACH PARTITION settled.event_default",
      "DELETE FROM settled.event_closing", "INSERT INTO settled.event_closing VALUES (9, 'epoch')",
    ] {
      let error = await #expect(throws: PostgresError.self) { try await daemon.script(statement) }
      #expect(error?.sqlState == "42501", "\(statement)")
    }
  }

  @Test func `daemons that ended a month ago are deleted, with their clock readings`() async throws {
    let own = try await Self.own()
    try await own.owner.script(
      """
      INSERT INTO settled.node VALUES ('old', '1', now(), now() - interval '31 days', 'gone'),
        ('recent', '1', now(), now() - interval '29 days', 'gone'), ('here', '1', now(), now() - interval '31 days', 'ready');
      INSERT INTO settled.clock_baseline SELECT node, 'b', 0, last_seen_at FROM settled.node;
      INSERT INTO settled.clock_hold (node, since, difference_milliseconds, lifted)
        SELECT node, last_seen_at, 900000, true FROM settled.node;
      """)
    try await own.run("history-pruning")
    for table in ["node", "clock_baseline", "clock_hold"] {
      let left = try await own.owner.query("SELECT node FROM settled.\(raw: table) ORDER BY 1").decode(String.self)
      #expect(left == ["here", "recent"], "\(table)")
    }
  }

  @Test func `kept answers to repeated requests go with the events, and the audit stays for ever`() async throws {
    let own = try await Self.own()
    try await own.owner.script(
      """
      INSERT INTO settled.request (uid, request_id, request, answer, at) VALUES
        (1, 'old', 'x', '{}', now() - interval '91 days'), (1, 'recent', 'x', '{}', now() - interval '89 days');
      INSERT INTO settled.audit (at, node, uid, gid, pid, command, target, before, after)
        VALUES (now() - interval '9 years', 'n', 0, 0, 1, 'drop', 'failure 1', '{}', '{}');
      """)
    try await own.run("history-pruning")
    let left = try await own.owner.query("SELECT request_id FROM settled.request").decode(String.self)
    #expect(left == ["recent"])
    #expect(try await own.count("SELECT count(*) FROM settled.audit WHERE at < now() - interval '8 years'") == 1)
    for change in ["DELETE FROM settled.audit", "UPDATE settled.audit SET reason = 'x'", "TRUNCATE settled.audit"] {
      let error = await #expect(throws: PostgresError.self) { try await own.owner.script(change) }
      #expect(error?.sqlState == "SD409", "\(change)")
    }
  }
}
