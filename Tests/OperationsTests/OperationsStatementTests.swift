import Cron
import Postgres
import TestSupport
import Testing

@testable import Operations

@Suite("Every statement of operations") struct OperationsStatementTests {
  @Test func `every statement of operations fits the schema and the daemon's privileges`() async throws {
    let (first, second) = (Timestamp(microseconds: 0), Timestamp(microseconds: 1))
    let range = InstantRange(from: first, to: second)
    let money = HeldMoney(job: "a", ofItems: { "SELECT k, 1::bigint FROM unnest(\($0)) AS k" }, due: "SELECT 1::bigint")
    let ticks = ScheduleTimeline.occurrences(range, builtIn: true)
    let cursor = try OccurrenceCursor("1.2")
    let all = OccurrenceReading.Filter(schedule: "s", status: "ran", from: first, to: second, after: cursor)
    let days = ZoneOffsets.utc.days(from: 0, to: 86_401)
    let statements = [
      ZoneReading.statement("UTC", range), HeldMoney.failed("a", isQuarantined: true),
      FailureMoney.keys(of: "a", in: JSON(text: "[]")), FailureMoney.add(money, of: ["k"], to: JSON(text: "[]")),
      OccurrenceReading.page(all, limit: 1), OccurrenceReading.page(.init(), limit: 1),
      OccurrenceReading.counts(range, of: days, "s"), SettingStatements.all,
      AuditReading.page(.init(after: 1, from: first, uid: 1, command: "a", target: "b"), limit: 1),
      ticks, ScheduleTimeline.coming(before: second), TimelineStatements.marks(ticks, limit: 1),
      TimelineStatements.counted(ticks, by: 900, limit: 1), TimelineStatements.lateness(ticks),
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
