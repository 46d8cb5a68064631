package import Engine
package import Operations
import Scheduling
import HostProcess
package import StopSignals
import ControlAPI
import Glibc
package import Logging
import Postgres

/// The daemon's work: its connections, its jobs and their loop, its commands, in the order of their dependency.
package struct Service: Sendable {
  let scheduler: Scheduler
  /// The connections of jobs and of schedules' runs.
  let pool: Pool
  /// The loop's own connection: no job and no command delays a poll.
  private let loopPool: Pool
  /// The connections of commands: there are few, and a caller that does not get one soon fails and may retry.
  private let commandPool: Pool
  /// One connection for large reads: other callers wait briefly, then fail and may retry. Admins have their own.
  private let heavyPools: (everybody: Pool, admins: Pool)
  let monitor: NodeMonitor
  let report: StatusReport
  let figures: FigureReader
  private let listener: Listener
  private let gate: ClaimGate
  private let modules: [any Module]
  private let schedules: ScheduleSystem
  private let logger: Logger
  private let time: Timekeeper
  private let node: String
  private let stateDirectory: String
  /// One element for each new connection to the database.
  private let acquaintances = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  private let users: UserNames
  private let observe: @Sendable (Observation) -> Void

  /// How long running batches may take after a request to stop, then their rollback, then the commands.
  ///
  /// Together with the sockets' share they stay below 20 s.
  private static let stopLimits = (
    finish: Duration.seconds(10), rollBack: Duration.seconds(3), close: Duration.seconds(3)
  )

  /// `heartbeatInterval` is the longest sleep without a sign of life, if a watchdog waits for one; `history` stores
  /// this node's record of its database.
  package init(
    _ configuration: Configuration, modules given: [any Module]? = nil, time: Timekeeper, logger: Logger,
    heartbeatInterval: Duration? = nil, history: HistoryStorage? = nil,
    observe: @escaping @Sendable (Observation) -> Void
  ) {
    let modules = given ?? Modules.all(configuration)
    let monitor = NodeMonitor(time: time, poolsTransactions: !configuration.preparedStatements)
    let observeBoth: @Sendable (Observation) -> Void = { observation in
      monitor.note(observation)
      observe(observation)
    }
    let connections = Self.connections(configuration)
    let pool = Pool(options: connections, size: 8, waitTimeout: .seconds(10), maximumWaiters: 100)
    loopPool = Pool(
      options: Self.looking(connections) { observeBoth(.iteration) }, size: 1, waitTimeout: .seconds(5),
      maximumAge: nil,
      maximumWaiters: 8, maximumRest: .seconds(300))
    commandPool = Pool(options: connections, size: 4, waitTimeout: .seconds(2), maximumWaiters: 16)
    let heavy = { @Sendable in Pool(options: connections, size: 1, waitTimeout: .seconds(3), maximumWaiters: 8) }
    heavyPools = (heavy(), heavy())
    let clockGuard = ClockGuard(time: time)
    gate = ClaimGate(clockGuard)
    var context = JobContext(
      pool: pool, time: time, gate: gate, run: "\(configuration.node) \(time.boot().milliseconds) \(getpid())",
      observe: observeBoth)
    context.lanes = configuration.settlementLanes
    context.beforeDecision = TestSeam.beforeDecision
    schedules = ScheduleSystem(
      modules.flatMap { $0.schedules(in: context) } + [HistoryPruning(in: context).schedule],
      zoneUpdates: modules.flatMap(\.zoneUpdates), in: context, node: configuration.node,
      operators: Self.operators(configuration))
    let works =
      modules.flatMap { $0.works(in: context) } + schedules.works + [EventNumbering(pool: pool)]
    var options = SchedulerOptions(node: configuration.node, version: Version.current)
    options.heartbeatInterval = heartbeatInterval
    options.ownsSessions = configuration.preparedStatements
    options.hasProvider = !configuration.provider.clientID.isEmpty
    scheduler = Scheduler(
      pool: loopPool, works: works, options: options, time: time, clockGuard: clockGuard,
      marks: modules.flatMap(\.marks), history: history,
      stopsAfterRestore: modules.reduce(into: []) { $0.formUnion($1.stopsAfterRestore) },
      stopsElsewhere: modules.reduce(into: [ScheduleRunner.name]) { $0.formUnion($1.stopsElsewhere) },
      observe: observeBoth)
    for pool in [pool, commandPool, heavyPools.everybody, heavyPools.admins] { scheduler.guardConnections(of: pool) }
    listener = Listener(options: Self.listening(configuration), channels: [Scheduler.channel])
    report = StatusReport(
      node: configuration.node, version: Version.current, schemaVersion: Migrations().version, works: works,
      schedules: schedules.jobs, monitor: monitor, pool: commandPool, time: time,
      problemKinds: modules.reduce(into: [:]) { $0.merge($1.problemKinds) { first, _ in first } },
      heldMoney: modules.flatMap(\.heldMoney))
    figures = FigureReader(
      ScheduleSystem.figures + modules.flatMap(\.figures), pool: commandPool, time: time)
    self.modules = modules
    self.pool = pool
    self.monitor = monitor
    self.logger = logger
    self.time = time
    node = configuration.node
    stateDirectory = configuration.stateDirectory
    users = UserNames(time: time)
    self.observe = observeBoth
  }

  static func connections(_ configuration: Configuration) -> ConnectionOptions {
    var options = ConnectionOptions(url: configuration.databaseURL, applicationName: "settled")
    options.poolsTransactions = !configuration.preparedStatements
    options.lockTimeout = .seconds(5)
    // Statements are short: compiling them costs more than it saves (0.3 s for 1,000 races).
    options.settings["jit"] = "off"
    options.settings["settled.node"] = configuration.node
    return options
  }

  /// The loop's waits end well before the watchdog's time, and each round trip is a sign of life: a server that hangs
  /// costs a poll 14 s, and a new connection 17 s.
  private static func looking(_ connections: ConnectionOptions, iteration: @escaping @Sendable () -> Void)
    -> ConnectionOptions
  {
    var options = connections
    options.statementTimeout = .seconds(10)
    options.answerGrace = .seconds(2)
    options.onRoundTrip = iteration
    return options
  }

  /// The server notices within a minute that a machine vanished: until then its name is not free.
  private static func listening(_ configuration: Configuration) -> ConnectionOptions {
    var options = connections(configuration)
    options.settings["tcp_keepalives_idle"] = "30"
    options.settings["tcp_keepalives_interval"] = "10"
    options.settings["tcp_keepalives_count"] = "3"
    return options
  }

  /// Operators' functions run in separate sessions, as a separate role.
  static func operators(_ configuration: Configuration) -> ConnectionOptions {
    let isOwn = !configuration.schedulesDatabaseURL.isEmpty
    var options = ConnectionOptions(
      url: isOwn ? configuration.schedulesDatabaseURL : OperatorRun.url(from: configuration.databaseURL),
      applicationName: "settled schedule")
    options.poolsTransactions = !isOwn && !configuration.preparedStatements
    options.settings["settled.node"] = configuration.node
    return options
  }

  /// All commands, including those that need the process around this service.
  package func commands(
    also more: [Command], localChecks: @escaping @Sendable () async -> [(name: String, Check.Finding)]
  )
    -> CommandDispatcher
  {
    let heavy = HeavyReads(everybody: heavyPools.everybody, admins: heavyPools.admins)
    let context = ModuleContext(gate: gate) { [stateDirectory] in RecordFiles.newest(of: $0, in: stateDirectory) }
    let doctor = DoctorHandler(
      checks: EngineChecks.checks + ServerChecks.checks + schedules.checks + modules.flatMap { $0.checks(in: context) },
      heavy: heavy, time: time, local: localChecks)
    let watchers = Watchers(
      pool: commandPool, time: time,
      jobs: modules.reduce(into: ScheduleSystem.topics) { $0.merge($1.topics) { first, _ in first } })
    let all =
      [WatchHandler(watchers, report: report).command]
      + NodeHandlers(report: report, scheduler: scheduler, users: users.names).commands
      + JobHandlers(report: report, scheduler: scheduler, gate: gate).commands
      + FailureHandlers(
        moneyJobs: modules.reduce(into: []) { $0.formUnion($1.moneyJobs) }, heldMoney: modules.flatMap(\.heldMoney)
      ).commands
      + modules.flatMap { $0.commands(in: context) } + EngineHandlers.commands
      + AuditHandlers(users: users.names).commands + TimelineHandlers(modules.flatMap(\.timeline)).commands
      + RestoreHandler(marks: modules.flatMap(\.marks), forks: Modules.forks).commands
      + [PersonHandler(erasures: modules.flatMap(\.erasures)).command] + schedules.commands + more
      + [doctor.command]
    return CommandDispatcher(
      all, pool: commandPool, node: node, heavy: heavy, late: LateAudits(time: time, observe: observe),
      observe: observe)
  }

  /// Runs until a stop signal, then ends the running batches.
  ///
  /// Throws `Exit` if the database's schema is not for this program. An unreachable database does not end it.
  package func run(until stop: AsyncStream<StopSignal>, time: Timekeeper) async throws {
    let running = Task { try await scheduler.run(listener: listener, admit: admit) }
    let comparing = Task { await compareTimeZones() }
    let stopping = Task {
      for await signal in stop {
        logger.notice("stopping", metadata: ["signal": "\(signal.rawValue)"])
        scheduler.stop()
        comparing.cancel()
        try await time.sleep(Self.stopLimits.finish)
        running.cancel()
        try await time.sleep(Self.stopLimits.rollBack)
        await close(within: .zero)
      }
    }
    defer {
      stopping.cancel()
      comparing.cancel()
    }
    do {
      try await running.value
    } catch let error as EngineError {
      throw Exit(error)
    }
    await close(within: Self.stopLimits.close)
  }

  /// Compares the zones after each new connection, and once a minute until a comparison succeeds.
  ///
  /// No start waits for it: 500 zones take 0.3 s, and until then all nodes use the stored offsets.
  private func compareTimeZones() async {
    for await _ in acquaintances.stream {
      var hasFailed = false
      while !Task.isCancelled {
        do {
          try await schedules.compareTimeZones()
          if hasFailed { observe(.resumed(job: BuiltInSchedule.timeZones)) }
          break
        } catch {
          if Task.isCancelled { return }
          hasFailed = true
          observe(.interrupted(job: BuiltInSchedule.timeZones, error: error))
          try? await time.sleep(.seconds(60))
        }
      }
    }
  }

  /// Closes all connections; those in use get this much time.
  private func close(within limit: Duration) async {
    await withDiscardingTaskGroup { group in
      for pool in [loopPool, commandPool, heavyPools.everybody, heavyPools.admins, pool] {
        group.addTask { await pool.close(within: limit) }
      }
    }
  }

  /// The schema must be this program's before anything is claimed.
  private func admit(_ connection: Connection) async throws {
    if let refusal = try await DatabaseRefusal.any(connection) { throw refusal }
    let state = try await SchemaState.read(Migrations(), from: connection)
    if let refusal = state.refusal { throw refusal }
    if let advice = state.advice { logger.notice("\(advice)") }
    let simulated = "SELECT coalesce((SELECT simulated FROM settled.installation), false)"
    if try await connection.query("\(raw: simulated)").one(Bool.self) {
      logger.warning("THIS DATABASE USES A SIMULATED CLOCK: do not use it in production")
    }
    try await schedules.meet(connection)
    acquaintances.continuation.yield()
  }
}
