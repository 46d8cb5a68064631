import Engine
import Postgres
import TestSupport
import Testing

@Suite("Operators' functions on a schedule") struct OperatorRunTests {
  /// A schedule of every minute that calls a function with this body.
  private func town(_ body: String, timeout: String = "5s") async throws -> ScheduleTown {
    let town = try await ScheduleTown(at: "2031-03-29T12:00:00Z")
    try await town.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE TABLE ops.done (who text, at timestamptz);
      GRANT SELECT, INSERT ON ops.done TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS SETOF integer LANGUAGE plpgsql AS $f$ BEGIN \(body) END $f$;
      """)
    try await town.ask(
      "schedule.add",
      [
        "name": .text("mine"), "cron": .text("* * * * *"), "call": .text("ops.work"), "timeout": .text(timeout),
      ])
    return town
  }

  @Test("run as settled_schedule, and commit with the end of their occurrence, rows counted")
  func runs() async throws {
    let town = try await town(
      "INSERT INTO ops.done VALUES (session_user || '/' || current_user, now()); RETURN QUERY SELECT generate_series(1, 3);"
    )
    try await town.pass(to: "2031-03-29T12:01:00Z")
    #expect(try await town.rows("mine") == ["03-29T12:01:00 ran"])
    #expect(
      try await town.owner.query("SELECT who FROM ops.done").decode(String.self) == [
        "settled_schedule/settled_schedule"
      ])
    #expect(try await town.owner.query("SELECT rows FROM settled.occurrence").one(Int64.self) == 3)
    let left: Statement =
      "SELECT count(*) FROM pg_stat_activity WHERE usename = 'settled_schedule' AND datname = current_database()"
    try await untilTrue("the end of the session") { try await town.owner.query(left).one(Int64.self) == 0 }
  }

  @Test("that fail leave nothing but the error's text")
  func fails() async throws {
    let town = try await town("INSERT INTO ops.done VALUES ('x', now()); RAISE EXCEPTION 'out of paper';")
    try await town.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await town.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("out of paper"))
    #expect(town.observedFailures.count == 1)
    #expect(town.observedFailures.first?.hasPrefix("mine 2031-03-29T12:01:00") == true)
    #expect(town.observedFailures.first?.contains("out of paper") == true)
    #expect(try await town.owner.query("SELECT count(*) FROM ops.done").one(Int64.self) == 0)
  }

  @Test("that take longer than the time-out fail, though they ask for more time", .timeLimit(.minutes(2)))
  func timesOut() async throws {
    let town = try await town(
      "PERFORM set_config('statement_timeout', '0', true); PERFORM pg_sleep(600);", timeout: "200ms")
    try await town.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await town.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed"), "\(rows)")
  }

  @Test("end no occurrence but their own, and that only once")
  func endsOnlyItsOwn() async throws {
    let town = try await town("PERFORM settled.end_occurrence(1); RETURN;")
    try await town.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await town.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("no occurrence was handed"), "\(rows)")
    let role = try await Connection.connect(
      ConnectionOptions(url: OperatorRun.url(from: town.database.url(.daemon)), applicationName: "intruder"))
    let error = await #expect(throws: PostgresError.self) { try await role.execute("SELECT settled.end_occurrence(1)") }
    #expect(error?.sqlState == "SD409")
    for table in ["settled.occurrence", "settled.schedule", "racing.race", "settled.node"] {
      let error = await #expect(throws: PostgresError.self) { try await role.query("SELECT FROM \(raw: table)") }
      #expect(error?.sqlState == "42501")
    }
  }

  @Test("whose deferred triggers run at COMMIT have the rights of settled_schedule there, too")
  func deferredTriggers() async throws {
    let town = try await town("INSERT INTO ops.done VALUES ('x', now()); RETURN;")
    try await town.owner.script(
      """
      CREATE FUNCTION ops.late() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        IF current_user <> 'settled_schedule' OR session_user <> 'settled_schedule' THEN RAISE EXCEPTION 'wrong user'; END IF;
        RAISE EXCEPTION 'late refusal'; END $f$;
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON ops.done DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ops.late();
      """)
    try await town.pass(to: "2031-03-29T12:01:00Z")
    let rows = try await town.rows("mine")
    #expect(rows.count == 1 && rows[0].contains("failed") && rows[0].contains("late refusal"), "\(rows)")
  }

  @Test("are refused when they do not exist, take arguments, or may not be called by the role")
  func refused() async throws {
    let town = try await town("RETURN;")
    try await town.owner.script(
      """
      CREATE FUNCTION ops.one(a integer) RETURNS void LANGUAGE sql AS '';
      CREATE FUNCTION ops.secret() RETURNS void LANGUAGE sql AS '';
      REVOKE ALL ON FUNCTION ops.secret() FROM PUBLIC;
      """)
    for (call, kind) in [("ops.none", CommandError.Kind.usage), ("ops.one", .usage), ("ops.secret", .refused)] {
      let values: [String: CommandCall.Value] = [
        "name": .text("other"), "cron": .text("* * * * *"), "call": .text(call),
      ]
      let error = await town.refusal("schedule.add", values)
      #expect(error?.kind == kind && error?.rule == "call", "\(call)")
    }
    let bad = await town.refusal(
      "schedule.add", ["name": .text("other"), "cron": .text("61 * * * *"), "call": .text("ops.work")])
    #expect(bad?.rule == "cron" && bad?.description.contains("character 1") ?? false)
  }
}
