import ControlAPI
import Engine
@testable import Operations
@testable import Scheduling
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Operators' functions on a schedule") struct OperatorRunTests {
  /// A schedule of every minute that calls a function with this body.
  private func fixture(_ body: String, timeout: String = "5s") async throws -> ScheduleFixture {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE TABLE ops.done (who text, at timestamptz);
      GRANT SELECT, INSERT ON ops.done TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS SETOF integer LANGUAGE plpgsql AS $f$ BEGIN \(body) END $f$;
      """)
    try await fixture.ask(
      "schedule.add",
      [
        "name": .text("mine"), "cron": .text("* * * * *"), "call": .text("ops.work"), "timeout": .text(timeout),
      ])
    return fixture
  }

  @Test func `operators' functions run as settled_schedule, and commit with their occurrence`() async throws {
    let fixture = try await fixture(
      "INSERT INTO ops.done VALUES (session_user || '/' || current_user, now()); RETURN QUERY SELECT generate_series(1, 3);"
    )
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 ran"])
    #expect(
      try await fixture.owner.query("SELECT who FROM ops.done").decode(String.self) == [
        "settled_schedule/settled_schedule"
      ])
    #expect(try await fixture.owner.query("SELECT rows FROM settled.occurrence").one(Int64.self) == 3)
    let left: Statement =
      "SELECT count(*) FROM pg_stat_activity WHERE usename = 'settled_schedule' AND datname = current_database()"
    try await untilTrue("the end of the session") { try await fixture.owner.query(left).one(Int64.self) == 0 }
  }

  @Test func `an operators' function that fails leaves only the error's text`() async throws {
    let fixture = try await fixture("INSERT INTO ops.done VALUES ('x', now()); RAISE EXCEPTION 'out of paper';")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await fixture.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("out of paper"))
    #expect(fixture.observedFailures.count == 1)
    #expect(fixture.observedFailures.first?.hasPrefix("mine 2031-03-29T12:01:00") == true)
    #expect(fixture.observedFailures.first?.contains("out of paper") == true)
    #expect(try await fixture.owner.query("SELECT count(*) FROM ops.done").one(Int64.self) == 0)
  }

  @Test(.timeLimit(.minutes(2)))
  func `an operators' function that exceeds its time-out fails, even if it sets a longer one`() async throws {
    let fixture = try await fixture(
      "PERFORM set_config('statement_timeout', '0', true); PERFORM pg_sleep(600);", timeout: "200ms")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await fixture.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed"), "\(rows)")
  }

  @Test func `an operators' function ends only its own occurrence, and only once`() async throws {
    let fixture = try await fixture("PERFORM settled.end_occurrence(1); RETURN;")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await fixture.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("no occurrence was assigned"), "\(rows)")
    let role = try await Connection.connect(
      ConnectionOptions(url: OperatorRun.url(from: fixture.database.url(.daemon)), applicationName: "intruder"))
    let error = await #expect(throws: PostgresError.self) { try await role.execute("SELECT settled.end_occurrence(1)") }
    #expect(error?.sqlState == "SD409")
    for table in ["settled.occurrence", "settled.schedule", "racing.race", "settled.node"] {
      let error = await #expect(throws: PostgresError.self) { try await role.query("SELECT FROM \(raw: table)") }
      #expect(error?.sqlState == "42501")
    }
  }

  @Test func `deferred triggers of operators' functions run with the rights of settled_schedule`() async throws {
    let fixture = try await fixture("INSERT INTO ops.done VALUES ('x', now()); RETURN;")
    try await fixture.owner.script(
      """
      CREATE FUNCTION ops.late() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        IF current_user <> 'settled_schedule' OR session_user <> 'settled_schedule' THEN RAISE EXCEPTION 'wrong user'; END IF;
        RAISE EXCEPTION 'late refusal'; END $f$;
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON ops.done DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ops.late();
      """)
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await fixture.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("late refusal"), "\(rows)")
  }

  @Test func `doctor tries the login of operators' functions when a schedule needs it`() async throws {
    let fixture = try await ScheduleFixture()
    let pool = fixture.database.pool()
    let login = { (options: ConnectionOptions) in
      let context = fixture.database.context(pool)
      let system = ScheduleSystem([], in: context, node: "one", operators: options)
      let check = try #require(system.checks.first { $0.name == "schedule login" })
      return try await pool.transaction(readOnly: true) { try await check.run($0) }
    }
    let nobody = ConnectionOptions(url: "postgresql:///x?host=/nowhere")
    #expect(try await login(nobody) == .init("no operator's schedule needs the settled_schedule login"))
    try await fixture.owner.execute(
      """
      INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at)
      VALUES ('mine', '* * * * *', 'UTC', 'ops.work()', 'once', '1 minute', '0', now())
      """)
    let good = ConnectionOptions(url: OperatorRun.url(from: fixture.database.url(.daemon)))
    #expect(try await login(good) == .init("the daemon can log in as settled_schedule"))
    let database = try await fixture.owner.query("SELECT current_database()::text").one(String.self)
    try await fixture.owner.script(
      "ALTER ROLE settled_schedule IN DATABASE \(database) SET work_mem = '8MB'; "
        + "ALTER ROLE settled_schedule IN DATABASE \(database) SET ops.password = 'hush'; "
        + "ALTER ROLE settled_schedule IN DATABASE \(database) SET timezone = 'UTC'")
    #expect(
      try await login(good)
        == .init("the daemon can log in as settled_schedule, which has its own settings: ops.password, work_mem"))
    let absent = try await login(nobody)
    #expect(!absent.isOk && absent.finding.hasPrefix("the daemon cannot log in as settled_schedule (connection"))
    let other = try await login(fixture.database.options(.daemon))
    #expect(!other.isOk && other.finding == "schedules_database_url logs in as settled_daemon")
  }

  @Test func `operators' functions take durations as settings do, and none without a unit`() async throws {
    let fixture = try await fixture("RETURN;")
    func add(_ timeout: String) -> [String: ParameterValue] {
      [
        "name": .text("other"), "cron": .text("* * * * *"), "call": .text("ops.work"), "timeout": .text(timeout),
        "splay": .text("0"), "replace": .boolean(true),
      ]
    }
    for (given, shown) in [("90m", "90m"), ("1 hour", "1h"), ("500ms", "500ms"), ("00:00:30", "30s")] {
      let schedule = try #require(try await fixture.ask("schedule.add", add(given)) as? [String: Any])
      #expect(schedule["timeout"] as? String == shown)
    }
    for given in ["5", "+5.5", "1 day 5", "0", "2d", "x", ""] {
      let refusal = await fixture.refusal("schedule.add", add(given))
      #expect(refusal?.kind == .usage && refusal?.rule == "timeout", "\(given)")
      #expect(
        refusal?.description == "timeout must be a duration from 1ms to 1d: a number with its unit (500ms, 30s, "
          + "10m, 6h, 14d) or a PostgreSQL interval (3 days)")
    }
  }

  @Test func `operators' functions are refused when missing, with arguments, or not callable by the role`() async throws
  {
    let fixture = try await fixture("RETURN;")
    try await fixture.owner.script(
      """
      CREATE FUNCTION ops.one(a integer) RETURNS void LANGUAGE sql AS '';
      CREATE FUNCTION ops.secret() RETURNS void LANGUAGE sql AS '';
      REVOKE ALL ON FUNCTION ops.secret() FROM PUBLIC;
      """)
    for (call, kind) in [("ops.none", CommandError.Kind.usage), ("ops.one", .usage), ("ops.secret", .refused)] {
      let values: [String: ParameterValue] = [
        "name": .text("other"), "cron": .text("* * * * *"), "call": .text(call),
      ]
      let error = await fixture.refusal("schedule.add", values)
      #expect(error?.kind == kind && error?.rule == "call", "\(call)")
    }
    let bad = await fixture.refusal(
      "schedule.add", ["name": .text("other"), "cron": .text("61 * * * *"), "call": .text("ops.work")])
    #expect(bad?.rule == "cron" && bad?.description.contains("character 1") ?? false)
  }

  @Test func `a run with a lost session starts at most five times, and is a problem until one succeeds`()
    async throws
  {
    let fixture = try await fixture(
      "IF EXISTS (SELECT FROM ops.done) THEN RETURN; END IF; PERFORM pg_terminate_backend(pg_backend_pid()); RETURN;")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    // A server process that ends holds its locks for a moment longer: until its run is found dead, the next tick
    // overlaps it. The moment that a claim is given before it is taken for dead passes.
    let moment: Statement = """
      UPDATE settled.run SET claimed_at = claimed_at - interval '1 minute' WHERE claimed_at IS NOT NULL
      """
    try await untilTrue("the end of all attempts") {
      try await fixture.owner.execute(moment)
      try await fixture.work()
      return try await fixture.owner.query(
        "SELECT status <> 'running' AND NOT EXISTS (SELECT FROM settled.run) FROM settled.occurrence"
      ).one(Bool.self)
    }
    let (status, attempts) = try await fixture.owner.query("SELECT status, attempts::bigint FROM settled.occurrence")
      .one(String.self, Int64.self)
    #expect(status == "failed" && attempts == 5)
    #expect(fixture.observedFailures.count == 1)
    let problems: Statement = "SELECT count(*) FROM settled.problem WHERE name = 'schedule mine'"
    #expect(try await fixture.owner.query(problems).one(Int64.self) == 1)

    try await fixture.owner.execute("INSERT INTO ops.done VALUES ('me', now())")
    try await fixture.pass(to: "2031-03-29T12:02:00Z")
    try await untilTrue("the next run") {
      try await fixture.work()
      return try await fixture.rows("mine").last == "03-29T12:02:00 ran"
    }
    #expect(try await fixture.owner.query(problems).one(Int64.self) == 0)
  }

  @Test func `a run whose node died five times has failed, and is reported`() async throws {
    let fixture = try await fixture("RETURN;")
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    try await fixture.system.works[0].runAllDue()
    try await fixture.owner.execute(
      """
      WITH r AS (UPDATE settled.run SET started_at = now(), claimed_at = now() - interval '1 minute')
      UPDATE settled.occurrence SET status = 'running', started_at = now(), node = 'gone', attempts = 5,
        claimed_at = now() - interval '1 minute'
      """)
    try await fixture.work()
    #expect(try await fixture.rows("mine").first?.contains("failed begun 5 times") == true)
    #expect(fixture.observedFailures.count == 1)
    let problems: Statement = "SELECT problem FROM settled.problem WHERE name = 'schedule mine'"
    #expect(try await fixture.owner.query(problems).decode(String.self).first?.contains("begun 5 times") == true)
  }

  @Test func `a run without an available session waits for one, and is reported once`() async throws {
    let fixture = try await fixture("RETURN;")
    let warnings = Mutex<[String]>([])
    let system = ScheduleFixture.system(
      [], fixture.database, fixture.database.pool(), node: "two",
      operators: fixture.database.url(.daemon) + " user=nobody"
    ) { observation in
      if case .warning(_, let key, let text) = observation { warnings.withLock { $0.append("\(key): \(text)") } }
      if case .runFailed = observation { warnings.withLock { $0.append("failed") } }
    }
    func turn() async throws {
      for work in system.works {
        _ = try await work.runAllDue()
        await work.finish()
      }
    }
    let age: Statement =
      "UPDATE settled.run SET claimed_at = claimed_at - interval '1 minute' WHERE claimed_at IS NOT NULL"
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    for _ in 0..<7 {
      try await turn()
      try await fixture.owner.execute(age)
    }
    #expect(try await fixture.owner.query("SELECT attempts::bigint FROM settled.occurrence").one(Int64.self) <= 0)
    let problems: Statement = "SELECT problem FROM settled.problem WHERE name = 'schedule mine'"
    let told = try await fixture.owner.query(problems).decode(String.self)
    #expect(told.count == 1 && told[0].hasPrefix("mine waits: no session for the run at 2031-03-29T12:01:00"))
    #expect(warnings.withLock { $0.count == 1 && $0[0].hasPrefix("mine: no session") })
    // A run that waits does not run: the next tick overlaps with nothing.
    try await fixture.database.setClock("2031-03-29T12:02:00Z")
    try await turn()
    let rows = try await fixture.rows("mine")
    #expect(rows.count == 2 && rows[0].hasSuffix(" waits for a session") && rows[1] == "03-29T12:02:00 planned")
    try await fixture.owner.execute(age)
    try await fixture.work()
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 ran", "03-29T12:02:00 ran"])
    #expect(try await fixture.owner.query(problems).isEmpty)
  }

  @Test func `a run of a one-shot schedule leaves a problem with a short text of its end`() async throws {
    let fixture = try await fixture("RAISE EXCEPTION '%', repeat('much', 1000);")
    try await fixture.ask("schedule.remove", ["name": .text("mine")])
    try await fixture.ask(
      "schedule.add", ["name": .text("once"), "at": .text("2031-03-29T12:00:30Z"), "call": .text("ops.work")])
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    #expect(try await fixture.rows("once").first.map { $0.contains("failed") && $0.count > 1500 } == true)
    let problems: Statement = "SELECT problem FROM settled.problem WHERE name = 'schedule once'"
    let problem = try await fixture.owner.query(problems).one(String.self)
    #expect(problem.hasSuffix(" ... (it ticks once: schedule remove, or schedule add --replace)"), "\(problem)")
    #expect(problem.count < 400)
    try await fixture.ask("schedule.remove", ["name": .text("once")])
    #expect(try await fixture.owner.query(problems).isEmpty)
  }

  @Test func `a run that another node took over has not failed`() async throws {
    let fixture = try await fixture("PERFORM pg_sleep(600);", timeout: "10m")
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    async let work: Void = fixture.work()
    let sleeping: Statement = """
      SELECT pid::bigint FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
      """
    try await untilTrue("the run") { try await fixture.owner.query(sleeping).count == 1 }
    try await fixture.owner.script(
      """
      UPDATE settled.occurrence SET claimed_at = claimed_at - interval '1 hour';
      UPDATE settled.schedule SET paused = true;
      """)
    try await fixture.owner.execute("SELECT pg_cancel_backend(pid::integer) FROM (\(fragment: sleeping)) AS s(pid)")
    try await work
    #expect(fixture.observedFailures.isEmpty)
    #expect(try await fixture.owner.query("SELECT FROM settled.problem").isEmpty)
  }

  @Test func `a run leaves no problem when its schedule was removed meanwhile`() async throws {
    let fixture = try await fixture("RETURN;")
    try await fixture.owner.execute(OccurrenceStatements.reportProblem("mine", "mine failed"))
    try await fixture.owner.execute(OccurrenceStatements.reportProblem("gone", "gone failed"))
    #expect(try await fixture.owner.query("SELECT name FROM settled.problem").decode(String.self) == ["schedule mine"])
    try await fixture.ask("schedule.remove", ["name": .text("mine")])
    #expect(try await fixture.owner.query("SELECT FROM settled.problem").isEmpty)
  }

  @Test func `a dead run is due again two seconds after its claim`() async throws {
    let fixture = try await fixture("RETURN;")
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    try await fixture.system.works[0].runAllDue()
    try await fixture.owner.execute(
      """
      WITH r AS (UPDATE settled.run SET started_at = now(), claimed_at = clock_timestamp())
      UPDATE settled.occurrence SET status = 'running', started_at = now(), node = 'gone', claimed_at = now()
      """)
    let due = Statement(
      raw: "SELECT (1e3 * extract(epoch FROM (\(OccurrenceStatements.nextDue(.operators))) - settled.clock()))::bigint"
    )
    let soon = try await fixture.owner.query(due).one(Int64.self)
    #expect(soon <= 2010)
    try await fixture.owner.execute("UPDATE settled.run SET claimed_at = claimed_at - interval '1 minute'")
    #expect(try await fixture.owner.query(due).one(Int64.self) == 0)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a run that catches its time-out loses its session and fails`() async throws {
    let fixture = try await fixture(
      """
      LOOP
        BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END;
      END LOOP;
      """, timeout: "200ms")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await fixture.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("timeout"), "\(rows)")
    let left: Statement =
      "SELECT count(*) FROM pg_stat_activity WHERE usename = 'settled_schedule' AND datname = current_database()"
    try await untilTrue("the end of the session") { try await fixture.owner.query(left).one(Int64.self) == 0 }
  }

  @Test func `a run of a schedule that was removed or replaced before it began is skipped`() async throws {
    let fixture = try await fixture("INSERT INTO ops.done VALUES ('old', now()); RETURN;")
    try await fixture.owner.script(
      """
      CREATE FUNCTION ops.other() RETURNS void LANGUAGE sql AS $$ INSERT INTO ops.done VALUES ('new', now()) $$;
      """)
    try await fixture.database.setClock("2031-03-29T12:01:00Z")
    try await fixture.system.works[0].runAllDue()
    let definition: [String: ParameterValue] = [
      "name": .text("mine"), "cron": .text("0 0 1 1 *"), "call": .text("ops.other"), "replace": .boolean(true),
    ]
    try await fixture.ask("schedule.add", definition)
    try await fixture.work()
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 skipped the schedule was replaced"])

    // A run whose back end died after its schedule was removed has nothing to run.
    try await fixture.owner.execute(
      """
      WITH r AS (
        INSERT INTO settled.run (schedule, instant, due_at, is_own, is_first, started_at, claimed_at)
        SELECT schedule, instant, due_at, false, true, now(), now() - interval '1 minute' FROM settled.occurrence
      )
      UPDATE settled.occurrence SET status = 'running', reason = NULL, finished_at = NULL, started_at = now(),
        node = 'gone', claimed_at = now() - interval '1 minute'
      """)
    try await fixture.ask("schedule.remove", ["name": .text("mine")])
    try await fixture.work()
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 skipped the schedule was removed"])
    #expect(try await fixture.owner.query("SELECT count(*) FROM ops.done").one(Int64.self) == 0)
  }

  @Test func `a schedule of a function that cannot be called is refused`() async throws {
    let fixture = try await fixture("RETURN;")
    try await fixture.owner.script(
      """
      CREATE FUNCTION ops.trg() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE FUNCTION ops.rec() RETURNS record LANGUAGE sql AS $$ SELECT 1, 2 $$;
      CREATE PROCEDURE ops.proc() LANGUAGE sql AS $$ SELECT 1 $$;
      CREATE FUNCTION ops.arg(a integer DEFAULT 1) RETURNS integer LANGUAGE sql AS $$ SELECT a $$;
      """)
    for (call, why) in [
      ("ops.trg", "a trigger"), ("ops.rec", "named columns"), ("ops.proc", "a procedure"), ("ops.arg", "arguments"),
      ("ops.none", "no function named"),
    ] {
      let refusal = await fixture.refusal(
        "schedule.add", ["name": .text("x"), "cron": .text("* * * * *"), "call": .text(call)])
      #expect(
        refusal?.rule == "call" && refusal?.description.contains(why) == true, "\(call): \(refusal?.description ?? "")")
    }
  }
}
