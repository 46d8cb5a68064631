import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Waiting for a race's lock", .timeLimit(.minutes(2)))
struct LockTests {
  /// A field that is due, and a second session that holds the race.
  private func held() async throws -> (day: RaceDay, field: RaceDay.Field, holder: Connection, pid: Int32) {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: RaceDay.due)
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script("BEGIN; SELECT FROM racing.race WHERE id = \(field.race) FOR NO KEY UPDATE")
    return (day, field, holder, pid)
  }

  /// The removal of the leader, in the transaction that holds the race.
  private func removeLeader(_ field: RaceDay.Field, by holder: Connection) async throws {
    for statement in RaceDay.removal(of: field.entries[0], as: "disqualified") { _ = try await holder.query(statement) }
  }

  private func expectOthersPaid(_ day: RaceDay, _ field: RaceDay.Field) async throws {
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.dropFirst()))
    #expect(try await day.course.balance(field.athletes[0]) == 10_000)
    #expect(try await day.differences() == [])
  }

  @Test func `the settlement job never pays an entry that was taken out while it waited for the lock`() async throws {
    let (day, field, holder, pid) = try await held()
    var context = day.course.database.context(day.pool)
    context.lockWait = .seconds(80)
    let runner = JobRunner(SettlementJob(), in: context)
    for _ in 0..<3 { #expect(try await runner.runAllDue() == 0) }
    let settling = Task { try await runner.runAllDue() }
    try await day.session.untilBlocked(by: pid)
    try await removeLeader(field, by: holder)
    try await holder.script("COMMIT")
    _ = try await settling.value
    try await expectOthersPaid(day, field)
  }

  @Test func `an operator's settlement never pays an entry that was taken out while it waited`() async throws {
    let (day, field, holder, pid) = try await held()
    let settling = Task { try await day.settle(field.race) }
    try await day.session.untilBlocked(by: pid)
    try await removeLeader(field, by: holder)
    try await holder.script("COMMIT")
    #expect(try await settling.value.result.payouts.map(\.entryId) == Array(field.entries.dropFirst()))
    try await expectOthersPaid(day, field)
  }

  @Test func `one of several settlements that wait for a race's lock settles it`() async throws {
    let (day, field, holder, pid) = try await held()
    let settling = (0..<3).map { _ in Task { try? await day.settle(field.race) } }
    try await day.session.untilBlocked(by: pid)
    try await holder.script("COMMIT")
    var done = 0
    for task in settling where await task.value != nil { done += 1 }
    #expect(done == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `an import that waits for a race's lock past due_at does not count`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([nil, 4000])
    try await day.pass(to: "2031-06-04T00:59:59Z")
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script("BEGIN; SELECT FROM racing.race WHERE id = \(field.race) FOR NO KEY UPDATE")
    let importing = Task {
      let course = Course(database: day.course.database, session: try await day.course.database.connect())
      return try await course.outing(field.athletes[0], stravaId: 88)
    }
    try await day.session.untilBlocked(by: pid)
    try await day.course.setClock(RaceDay.due)
    try await holder.script("COMMIT")
    let activity = try await importing.value
    let isLate = try await day.session.query(
      "SELECT imported_at >= \(RaceDay.due)::text::timestamptz FROM racing.activity WHERE id = \(activity)"
    ).one(Bool.self)
    #expect(isLate)
    try await day.validate()
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == [field.entries[1]])
    #expect(try await day.differences() == [])
  }

  @Test func `a changed activity that waits for a race's lock past due_at is refused`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([3000, 4000])
    try await day.pass(to: "2031-06-04T00:59:59Z")
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script("BEGIN; SELECT FROM racing.race WHERE id = \(field.race) FOR NO KEY UPDATE")
    let importing = Task {
      let course = Course(database: day.course.database, session: try await day.course.database.connect())
      return try await course.outing(field.athletes[0], stravaId: 1, maxSpeed: "9")
    }
    try await day.session.untilBlocked(by: pid)
    try await day.course.setClock(RaceDay.due)
    try await holder.script("COMMIT")
    await #expect { try await importing.value } throws: { error in
      let error = error as? PostgresError
      return error?.sqlState == "SD409" && error?.detail?.contains("frozen") ?? false
    }
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == [field.entries[1], field.entries[0]])
  }

  @Test func `an entry that waits for a race's lock past the cut-off is refused`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([4000])
    let late = try await day.course.athlete()
    try await day.pass(to: "2031-06-03T20:59:59Z")
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script("BEGIN; SELECT FROM racing.race WHERE id = \(field.race) FOR NO KEY UPDATE")
    let entering = Task {
      let course = Course(database: day.course.database, session: try await day.course.database.connect())
      return try await course.enter(late, field.race)
    }
    try await day.session.untilBlocked(by: pid)
    try await day.course.setClock("2031-06-03T21:00:00Z")
    try await holder.script("COMMIT")
    await #expect { try await entering.value } throws: { error in
      let error = error as? PostgresError
      return error?.sqlState == "SD409" && error?.detail?.contains("cutoff") ?? false
    }
    #expect(try await day.course.balance(late) == 10_000)
    #expect(try await day.differences() == [])
  }

  @Test func `a validation and a settlement that wait for each other's rows both succeed`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let pending = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "3.1")
    try await day.pass(to: RaceDay.due)
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script(
      "BEGIN; SELECT FROM racing.wallet WHERE athlete_id = \(field.athletes[0]) FOR NO KEY UPDATE")
    var context = day.course.database.context(day.pool)
    context.lockWait = .seconds(20)
    let (settlement, validation) = (
      JobRunner(SettlementJob(), in: context), JobRunner(ValidationJob(), in: context)
    )
    let settling = Task { try await settlement.runAllDue() }
    try await day.session.untilBlocked(by: pid)
    let settler = try await day.session.query(
      "SELECT pid FROM pg_stat_activity WHERE \(pid) = ANY(pg_blocking_pids(pid))"
    ).one(Int32.self)
    let validating = Task { try await validation.runAllDue() }
    try await day.session.untilBlocked(by: settler)
    try await holder.script("COMMIT")
    _ = try await settling.value
    _ = try await validating.value
    #expect(try await day.course.status(field.race) == "settled")
    let status = "SELECT status FROM racing.activity WHERE id = \(pending)" as Statement
    #expect(try await day.session.query(status).one(String.self) == "verified")
    #expect(try await day.session.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    #expect(try await day.differences() == [])
  }
}
