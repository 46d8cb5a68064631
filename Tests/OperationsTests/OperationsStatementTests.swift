import Postgres
import TestSupport
import Testing

@testable import Operations

@Suite("Every statement of operations") struct OperationsStatementTests {
  @Test func `every statement of operations fits the schema and the daemon's privileges`() async throws {
    let statements = [
      FailureHandlers.page(quarantinedAfter: 0, othersAfter: 0, limit: 1), FailureHandlers.schedules,
      AppSessionCheck.logins,
      ScheduleJobs.statement(["s"]), WatchStatements.beginning, WatchStatements.isSchedule("s"),
      ServerStatements.changedCollation, ServerStatements.sequencesBehind, ServerStatements.replicaRoles,
      ServerStatements.oldTransactions,
      ServerStatements.deadRows(above: 1),
      ServerStatements.idAge,
      ServerStatements.standbys, ServerStatements.lateStandby(behind: 1),
      ServerStatements.idleSlots(above: 1), WatchStatements.events(after: 0),
      WatchStatements.commands(after: 0), WatchStatements.planned(after: 0),
      ScheduleFigures.failed, ScheduleFigures.paused, ScheduleFigures.late,
      WatchStatements.open(["s"], [Timestamp(microseconds: 0)]),
    ]
    #expect(try await SettledDatabase.planErrors(statements) == [])
  }
}
