package import Engine
package import Operations
package import Scheduling
package import Postgres

/// Strava: tokens of the athletes who have connected there, always fresh, never lost, never shown; and what is read
/// with them of these athletes' activities.
///
/// Without a client id nothing is called and nothing is due. Source: Strava.docc/Strava.md.
package struct StravaModule: Module {
  private let options: ProviderOptions?
  private let random: @Sendable (Int) -> [UInt8]
  private let time: Timekeeper

  package let stopsAfterRestore: Set<String> = ["token-refresh"]

  package let stopsElsewhere: Set<String> = ["activity-reads"]

  package let forks: [Statement] = ["SELECT strava.fork()"]

  package let figures = StravaFigures.all

  package let timeline = CallTimeline.sources

  package let problemKinds = StravaProblems.kinds

  /// - Parameters:
  ///   - options: nil: there is no client id.
  ///   - random: so many bytes that nobody can guess.
  ///   - time: of the calls that commands make.
  package init(_ options: ProviderOptions?, random: @escaping @Sendable (Int) -> [UInt8], time: Timekeeper) {
    self.options = options
    self.random = random
    self.time = time
  }

  package func works(in context: JobContext) -> [any Work] {
    guard let options else { return [] }
    let sealer = Sealer(options)
    let spool = Spool(in: options.stateDirectory, sealer, time: context.time, observe: context.observe)
    let refresh = TokenRefreshJob(
      provider: HTTPProvider(options, time: context.time), sealer: sealer, spool: spool, breaker: Breaker())
    let reads = ReadJob(
      provider: HTTPActivities(options, time: context.time), failures: ReadFailures(), observe: context.observe)
    return [
      SpoolWork(spool: spool, sealer: sealer, pool: context.pool),
      JobRunner(SealingJob(sealer: sealer), in: context),
      LeasedRunner(refresh, in: context),
      LeasedRunner(reads, in: context),
    ]
  }

  package func schedules(in context: JobContext) -> [BuiltInSchedule] { [TokenDemand.schedule, HintPruning.schedule] }

  package func commands(in context: ModuleContext) -> [Command] {
    StravaHandlers(options: options).commands
      + SubscriptionHandlers(options: options, random: random, time: time).commands
  }

  package func checks(in context: ModuleContext) -> [Check] { StravaChecks(options: options).checks }
}
