import Postgres
import TestSupport
import Testing

@testable import Scheduling

@Suite("Every statement of scheduling")
struct ScheduleStatementTests {
  private static var statements: [Statement] {
    let now = Timestamp(microseconds: 0)
    let run = ClaimedOccurrence(
      schedule: "s", instant: now, call: nil, timeout: .seconds(1), claimedAt: now, due: .zero, began: .zero,
      attempt: 1, backend: nil)
    let own = RunKind.builtIn(["a-b", "c.d"])
    return [
      OccurrenceStatements.dead(own), OccurrenceStatements.revive([run.key]), OccurrenceStatements.release([run.key]),
      OccurrenceStatements.leave([run.key]), OccurrenceStatements.leaveIfOver(run), OccurrenceStatements.lock(4, own),
      OccurrenceStatements.lock(4, .operators), OccurrenceStatements.claim([run.key], for: [1], node: "n", at: now),
      OccurrenceStatements.end(run, rows: 1), OccurrenceStatements.fail(run, reason: "x"),
      OccurrenceStatements.due(4, own), OccurrenceStatements.overdue(own), OccurrenceStatements.nextOfOperators,
      OccurrenceStatements.lockRun(run), OccurrenceStatements.obstacle(run), OccurrenceStatements.forgive(run),
      Statement(raw: OccurrenceStatements.nextDue(own)), Statement(raw: OccurrenceStatements.nextDue(.operators)),
      RunProgress.tell("s", done: 1, total: 2), OccurrenceStatements.uncount(run),
      OccurrenceStatements.reportProblem("s", "p"), PlanStep.lock("s.name = 'n'"), Schedule.named(["n"]),
      ZoneFuture.meet("UTC", at: now), ZoneFuture.differences, ZoneFuture.extend(at: now),
      ZoneFuture.meetSettings(at: now),
      Zones.statement("UTC", from: 0, through: 1),
      HistoryPruning.forgetPeriods, HistoryPruning.forgetNodes,
      HistoryPruning.forgetBaselines, HistoryPruning.forgetRequests,
      HistoryPruning.forgetStops,
    ]
  }

  @Test func `every statement of scheduling fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements) == [])
  }

  @Test func `each statement of scheduling returns the columns that its decoder reads`() async throws {
    let (now, own) = (Timestamp(microseconds: 0), RunKind.builtIn(["a"]))
    let keys = [RunKey(schedule: "s", instant: now)]
    let decoded = [
      DecodedStatement(OccurrenceStatements.dead(own)) { _ = try $0.decodeAll(as: RunKey.init) },
      DecodedStatement(OccurrenceStatements.lock(4, own)) { _ = try $0.decodeAll(as: RunKey.init) },
      DecodedStatement(OccurrenceStatements.claim(keys, for: [1], node: "n", at: now)) {
        _ = try $0.decodeAll { row in try ClaimedOccurrence(row, began: .zero) }
      },
      DecodedStatement(OccurrenceStatements.revive(keys)) { _ = try $0.decodeAll(as: Revived.init) },
      DecodedStatement(Schedule.named(["n"])) { _ = try $0.decodeAll(as: Schedule.init) },
      DecodedStatement(PlanStep.lock("s.name = 'n'")) { _ = try $0.decodeAll(as: PlanStep.Cursor.init) },
    ]
    #expect(try await SettledDatabase.decodingErrors(decoded) == [])
  }
}
