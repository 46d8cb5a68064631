package import Engine
package import Logging
import Postgres
import Racing

/// The daemon: its connections, its jobs and their loop, in the order of their dependency.
package struct Service: Sendable {
  private let scheduler: Scheduler
  private let listener: Listener
  private let pool: Pool
  private let logger: Logger

  /// How long batches under way may take after a request to stop.
  private let stopAtMost: Duration = .seconds(20)

  package init(
    _ configuration: Configuration, time: Timekeeper, logger: Logger, nap: Duration? = nil,
    observe: @escaping @Sendable (Observation) -> Void
  ) {
    var options = ConnectionOptions(url: configuration.databaseURL, applicationName: "settled")
    options.preparedStatements = configuration.preparedStatements
    options.lockTimeout = .seconds(5)
    options.settings["timezone"] = "UTC"
    // Statements are short: compiling them costs more than it saves (0.3 s for 1,000 races).
    options.settings["jit"] = "off"
    pool = Pool(options: options, size: 8, waitTimeout: .seconds(10), maximumWaiters: 100)
    listener = Listener(options: options, channels: [Scheduler.channel])

    let guardian = ClockGuard(time: time)
    var context = JobContext(pool: pool, time: time, gate: Gate(guardian), observe: observe)
    context.beforeDecision = TestSeam.beforeDecision
    var schedulerOptions = SchedulerOptions(node: configuration.node, version: Version.current)
    schedulerOptions.nap = nap
    scheduler = Scheduler(
      pool: pool, works: RacingModule.jobs(in: context) + [EventNumbering(pool: pool)],
      options: schedulerOptions, time: time, guardian: guardian, observe: observe)
    self.logger = logger
  }

  /// Runs until a signal asks to stop, then ends the batches under way.
  ///
  /// Calls `willStop` first when a stop is asked for. Throws `Exit` where the database's schema is not for this program.
  /// A database that is away is no reason to end.
  package func run(
    until stop: AsyncStream<StopSignal>, time: Timekeeper, willStop: @escaping @Sendable () -> Void = {}
  ) async throws {
    let running = Task { try await scheduler.run(listener: listener, admit: admit) }
    let stopping = Task {
      for await signal in stop {
        willStop()
        logger.notice("stopping", metadata: ["signal": "\(signal)"])
        scheduler.stop()
        try await time.sleep(stopAtMost)
        running.cancel()
      }
    }
    defer { stopping.cancel() }
    do {
      try await running.value
    } catch let error as EngineError {
      throw Exit(error)
    }
    await pool.close()
  }

  /// The schema must be this program's before anything is claimed.
  private func admit(_ connection: Connection) async throws {
    if let refusal = try await SchemaState.read(Migrations(), from: connection).refusal { throw refusal }
    let simulated = "SELECT coalesce((SELECT simulated FROM settled.installation), false)"
    if try await connection.query("\(raw: simulated)").one(Bool.self) {
      logger.warning("THE CLOCK OF THIS DATABASE IS SIMULATED: it stands or runs as its owner says")
    }
  }
}

extension Exit {
  /// The exit code of what the engine refuses (design.md, Processes and sockets).
  package init(_ error: EngineError) {
    let code: ExitCode =
      switch error.code {
      case .schemaOlder: .tryLater
      case .schemaEdited: .bug
      case .schemaNewer: .newerSchema
      case .notAllowed: .denied
      case .realClock, .clock: .refused
      }
    self.init(code, error.description)
  }
}
