import ControlAPI
import Operations
import Postgres
import TestSupport
import Testing

@testable import Engine
@testable import Racing

@Suite("An order to settle or cancel a race")
struct RaceOrderTests {
  private let day: RaceDay
  private let job: JobRunner<RaceOrderJob>
  private let gate: ClaimGate

  init() async throws {
    day = try await RaceDay()
    let context = day.course.database.context(day.pool)
    gate = context.gate
    job = JobRunner(RaceOrderJob(gate: gate), in: context)
  }

  /// Leaves an order as the command does, and returns what the command would wait for.
  private func order(
    _ name: String, _ race: Int64, _ values: [String: ParameterValue] = [:]
  ) async throws -> Int64 {
    let command = try #require(OrderHandlers(gate: gate).commands.first { $0.name == name })
    guard case .order(let change, _) = command.effect else { throw CommandError(.bug, rule: "bug", "no order") }
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .admin), requestId: nil,
      values: values.merging(["id": .integer(race), "reason": .text("storm")]) { $1 })
    let done = try await day.pool.transaction { try await change(call, $0) }
    return try await day.session.query("SELECT (\(done.answer)->>'order')::bigint").one(Int64.self)
  }

  private func state(_ order: Int64) async throws -> String {
    try await day.session.query(
      """
      SELECT concat_ws(' ', o.kind, CASE WHEN o.finished_at IS NULL THEN 'open' END, o.rule, o.answer->>'status',
        o.answer->>'outcome') FROM racing.race_order AS o WHERE o.id = \(order)
      """
    ).one(String.self)
  }

  @Test func `a cancellation is an order that is carried out once, even if something fails in between`() async throws {
    let field = try await day.field([6000, 5000])
    let order = try await order("race.cancel", field.race)
    #expect(try await state(order) == "cancel open")
    #expect(try await day.course.status(field.race) != "cancelled")
    // The job's transaction fails at its end: neither the refunds nor the answer are there.
    try await day.session.script(
      """
      CREATE FUNCTION public.veto() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM 1 / 0; END $f$;
      CREATE CONSTRAINT TRIGGER veto AFTER UPDATE ON racing.race_order DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION public.veto();
      """)
    try await job.runAllDue()
    #expect(try await state(order) == "cancel open")
    #expect(try await day.course.events("race.cancelled") == [])
    try await day.session.execute("DROP TRIGGER veto ON racing.race_order")
    try await day.session.execute("DELETE FROM settled.failure WHERE job = 'race-orders'")
    try await job.runAllDue()
    try await job.runAllDue()
    #expect(try await state(order) == "cancel cancelled")
    #expect(try await day.course.events("race.cancelled").count == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a command whose order takes long ends, and its request returns the outcome later`() async throws {
    let field = try await day.field([6000, 5000])
    let command = try #require(
      OrderHandlers(gate: gate, waitMax: .milliseconds(50)).commands.first { $0.name == "race.cancel" })
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .admin), requestId: "r",
      values: ["id": .integer(field.race), "reason": .text("storm")])
    let quick = CommandDispatcher([command], pool: day.pool, node: "test")
    let error = await #expect(throws: CommandError.self) { try await quick.run(command, call) }
    #expect(error?.kind == .unavailable && error?.rule == "pending")
    try await job.runAllDue()
    let patient = try #require(OrderHandlers(gate: gate).commands.first { $0.name == "race.cancel" })
    let answer = try await CommandDispatcher([patient], pool: day.pool, node: "test").run(patient, call)
    #expect(answer.contains("\"refundedPence\": 200"), "\(answer)")
    #expect(try await day.session.query("SELECT count(*) FROM racing.race_order").one(Int64.self) == 1)
  }

  @Test func `an order of any operator takes no administrator's place`() async throws {
    let field = try await day.field([6000, 5000])
    try await day.pass(to: RaceDay.due)
    let first = try await order("race.cancel", field.race)
    let error = await #expect(throws: CommandError.self) { try await order("race.settle", field.race) }
    #expect(error?.rule == "ordered")
    #expect(try await state(first) == "cancel open")
    try await job.runAllDue()
    #expect(try await state(first) == "cancel cancelled")
  }

  @Test func `an order that an error refuses is finished, and changes nothing`() async throws {
    let field = try await day.field([6000, 5000])
    try await day.session.script(
      """
      CREATE FUNCTION public.veto() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM 1 / 0; RETURN NEW; END $f$;
      CREATE TRIGGER veto BEFORE UPDATE ON racing.wallet FOR EACH ROW EXECUTE FUNCTION public.veto();
      """)
    let page = try await day.page()
    let first = try await order("race.cancel", field.race)
    try await job.runAllDue()
    #expect(try await state(first) == "cancel bug")
    #expect(try await day.page() == page)
    #expect(try await day.session.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    let shown = try await day.session.query(RaceOrderStatements.shown(field.race)).one(JSON.self).text
    #expect(shown.contains(#""rule": "bug""#) && shown.contains("division by zero"), "\(shown)")
    try await day.session.execute("DROP TRIGGER veto ON racing.wallet")
    let second = try await order("race.cancel", field.race)
    try await job.runAllDue()
    #expect(try await state(second) == "cancel cancelled")
    #expect(try await day.differences() == [])
  }

  @Test func `a newer order replaces one that no job works on, and none that one works on`() async throws {
    let field = try await day.field([6000, 5000])
    try await day.pass(to: RaceDay.due)
    let first = try await order("race.settle", field.race, ["override": .boolean(true)])
    let second = try await order("race.cancel", field.race)
    #expect(try await state(first) == "settle replaced")
    let other = try await day.course.database.connect()
    try await other.execute("BEGIN")
    try await other.execute("SELECT FROM racing.race_order WHERE id = \(second) FOR UPDATE")
    let error = await #expect(throws: CommandError.self) { try await order("race.cancel", field.race) }
    #expect(error?.rule == "ordered")
    try await other.execute("ROLLBACK")
    await other.close()
    try await job.runAllDue()
    #expect(try await state(second) == "cancel cancelled")
    #expect(try await day.course.revisions(field.race) == 0)
    #expect(try await day.differences() == [])
  }

  @Test func `an override that other inputs refuse leaves the race's due instant`() async throws {
    let field = try await day.field([6000, 5000])
    try await day.pass(to: "2031-06-04T00:30:00Z")
    let hash = try await day.preview(field.race).inputHash
    let order = try await order(
      "race.settle", field.race, ["override": .boolean(true), "expectHash": .text(hash)])
    let instants: Statement = "SELECT due_at::text || next_check_at::text FROM racing.race WHERE id = \(field.race)"
    let before = try await day.session.query(instants).one(String.self)
    try await day.remove(field.entries[1])
    try await job.runAllDue()
    #expect(try await state(order) == "settle hash")
    #expect(try await day.session.query(instants).one(String.self) == before)
    #expect(try await day.course.status(field.race) == "ended")
  }

  @Test func `an order to settle obeys the hold, and the settlement job continues where it was refused`() async throws {
    let field = try await day.field([6000, 5000])
    try await day.pass(to: "2031-06-04T00:30:00Z")
    let early = try await order("race.settle", field.race)
    try await job.runAllDue()
    #expect(try await state(early) == "settle grace")
    try await day.finish()
    #expect(try await day.course.revisions(field.race) == 1)
    await #expect(throws: CommandError.self) { try await order("race.settle", field.race) }
  }

  @Test func `no order is taken after a restore, and an open one waits`() async throws {
    let field = try await day.field([6000, 5000])
    let open = try await order("race.cancel", field.race)
    let jobs = Array(RacingModule().stopsAfterRestore)
    try await day.session.execute(
      """
      INSERT INTO settled.restoration (node, found_at, timeline, finding, jobs)
      VALUES ('a', clock_timestamp(), 1, 'f', \(jobs))
      """)
    try await job.runAllDue()
    #expect(try await state(open) == "cancel open")
    let error = await #expect(throws: CommandError.self) { try await order("race.cancel", field.race) }
    #expect(error?.rule == "restore")
  }
}
