package import Engine

/// What the daemon composes of racing.
package enum RacingModule {
  /// The jobs of this module, ready to run.
  package static func jobs(in context: JobContext) -> [any Work] {
    [
      JobRunner(LifecycleJob(), in: context),
      JobRunner(ValidationJob(), in: context),
      JobRunner(EscalationJob(), in: context),
      JobRunner(SettlementJob(), in: context),
    ]
  }

  /// What goes on beside the jobs.
  package static func background(in context: JobContext) -> [any Work] {
    [ChainExtension(pool: context.pool)]
  }

  /// What ticks.
  package static func schedules(in context: JobContext) -> [InternalSchedule] {
    [RaceCalendar.schedule(in: context), LedgerAudit(context: context).schedule]
  }

  /// What operators may ask of this module; `kept` is the head of the chain that the node has in its file.
  package static func commands(gate: Gate, kept: @escaping KeptHead = { nil }) -> [Command] {
    RacingCommands(gate: gate, kept: kept).commands
  }

  /// Jobs whose items hold money: they are never dropped.
  package static let moneyJobs: Set<String> = ["race-settlement", "race-lifecycle"]

  /// The text of the journal entry that keeps the chain's head.
  package static let chainHeadText = LedgerAudit.headText

  package static var checks: [Check] { RacingChecks.checks }
}
