import Engine
import Operations
import Scheduling
import ControlAPI
import Postgres
import TestSupport
import Testing

@Suite("Runs that meet trouble", .timeLimit(.minutes(2))) struct RunFaultTests {
  /// A built-in schedule whose run times out while the table `slow` says so.
  private func slow() async throws -> ScheduleFixture {
    let schedule = BuiltInSchedule("own", cron: "* * * * *") { _, _, transaction in
      try await transaction.execute("SET LOCAL statement_timeout = '100ms'")
      try await transaction.execute("SELECT CASE WHEN (SELECT is_on FROM public.slow) THEN pg_sleep(60) END")
      return 1
    }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [schedule])
    try await fixture.owner.script(
      "CREATE TABLE slow AS SELECT true AS is_on; GRANT SELECT ON slow TO settled_daemon")
    return fixture
  }

  private func age(_ fixture: ScheduleFixture) async throws {
    try await fixture.owner.execute("UPDATE settled.run SET claimed_at = claimed_at - interval '1 minute'")
  }

  @Test func `a built-in run that times out is begun again, and runs when the server is quick again`() async throws {
    let fixture = try await slow()
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    #expect(try await fixture.rows("own") == ["03-29T12:01:00 running"])
    #expect(fixture.observedFailures == [])
    try await fixture.owner.execute("UPDATE slow SET is_on = false")
    try await age(fixture)
    try await fixture.work()
    #expect(try await fixture.rows("own") == ["03-29T12:01:00 ran"])
  }

  @Test func `a built-in run that times out five times has failed`() async throws {
    let fixture = try await slow()
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    for attempt in 2...5 {
      #expect(fixture.observedFailures == [], "before attempt \(attempt)")
      try await age(fixture)
      try await fixture.work()
    }
    let rows = try await fixture.rows("own")
    #expect(rows.count == 1 && rows[0].contains("failed attempt 5: timeout 57014"), "\(rows)")
    #expect(fixture.observedFailures.count == 1)
  }

  @Test func `an operators' run that meets somebody's lock is begun again, and leaves one effect`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE TABLE ops.done (n integer);
      GRANT SELECT, INSERT ON ops.done TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS void LANGUAGE plpgsql SET lock_timeout = '50ms' AS $f$
        BEGIN INSERT INTO ops.done VALUES (1); END $f$;
      """)
    try await fixture.ask(
      "schedule.add", ["name": .text("mine"), "cron": .text("* * * * *"), "call": .text("ops.work")])
    let holder = try await fixture.database.connect()
    try await holder.script("BEGIN; LOCK TABLE ops.done IN ACCESS EXCLUSIVE MODE")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 running"])
    #expect(fixture.observedFailures == [])
    try await holder.script("COMMIT")
    try await age(fixture)
    try await fixture.work()
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 ran"])
    #expect(try await fixture.owner.query("SELECT count(*) FROM ops.done").one(Int64.self) == 1)
  }
}
