package import Engine
package import Operations
import Postgres
package import Scheduling

/// Races, their ledger and their reviews.
package struct RacingModule: Module {
  package init() {}

  package func works(in context: JobContext) -> [any Work] {
    [
      JobRunner(LifecycleJob(), in: context),
      JobRunner(ValidationJob(), in: context),
      JobRunner(EscalationJob(), in: context),
      JobRunner(SettlementJob(), in: context),
      JobRunner(RaceOrderJob(gate: context.gate), in: context),
      ChainExtension(pool: context.pool),
      ProblemWatch(problem: .proof, pool: context.pool),
      ProblemWatch(problem: .claims, pool: context.pool),
    ]
  }

  package func schedules(in context: JobContext) -> [BuiltInSchedule] {
    [
      RaceCalendar.schedule(in: context), LedgerAudit(context: context).schedule, StreamPruning.schedule(in: context),
      ClaimPruning.schedule(in: context), Forgetting.schedule(in: context),
    ]
  }

  package func commands(in context: ModuleContext) -> [Command] {
    RacingHandlers(context: context).commands
  }

  package func checks(in context: ModuleContext) -> [Check] {
    RacingChecks.checks + [KeptHead.check(context)]
  }

  package let figures = RacingFigures.all

  package let stopsAfterRestore: Set<String> = ["race-settlement", RaceOrderJob.jobName]
  package let moneyJobs: Set<String> = ["race-settlement", "race-lifecycle", RaceOrderJob.jobName]
  package let timeline = RaceTimeline.sources
  package let heldMoney = RaceMoney.all
  package let problemKinds = RacingProblems.kinds

  package let records = [KeptHead.record]

  package let erasures = [Erasure("athlete", .number { "SELECT racing.erase_athlete(\($0))" })]

  package let marks = [KeptHead.mark, KeptJournal.mark]

  package let topics = [
    "race.ended": "race-lifecycle", "race.settled": "race-settlement", "activity.under_review": "activity-validation",
    "review.escalated": "flag-escalation", "activity.deleted": "activity-reads",
  ]
}
