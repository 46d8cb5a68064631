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
      OccurrenceStatements.reportProblem("s", "p"), PlanStep.lock("s.name = 'n'"),
      ZoneFuture.meet("UTC", at: now), Zones.statement("UTC", from: 0, through: 1),
      HistoryPruning.forgetPeriods, HistoryPruning.forgetNodes,
      HistoryPruning.forgetBaselines, HistoryPruning.forgetRequests,
      HistoryPruning.forgetStops,
    ]
  }

  @Test func `every statement of scheduling fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements) == [])
  }
}
