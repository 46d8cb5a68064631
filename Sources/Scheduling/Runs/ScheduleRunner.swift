package import Engine
package import Postgres
import Cron

/// Runs planned ticks: each schedule's ticks in order, several schedules in parallel, shared by all nodes.
///
/// One runner has operators' functions, another the built-in schedules, so that each kind has slots that the other
/// cannot take. A run outlives the call that started it, so that a long one delays no other schedule; `finish` waits
/// for the runs. A task that ends a run takes the next due one. Source: Engine.docc/LifeOfATick.md, "Running".
package actor ScheduleRunner: Work {
  /// The name of the runner of operators' functions, and of the daemon's own schedules.
  package static let name = "schedule-runs"
  package static let builtInName = "own-schedule-runs"

  package nonisolated let name: String
  package nonisolated var isListed: Bool { false }
  package nonisolated var observesBatches: Bool { true }
  package nonisolated var nextDue: String { OccurrenceStatements.nextDue(kind) }

  let context: JobContext
  let node: String
  nonisolated let kind: RunKind
  /// Of operators' runs.
  nonisolated let sessions: RunSessions?
  private let actions: [String: BuiltInSchedule.Action]
  private let runsMax: Int
  /// How many runs are running; a run's task lives a little longer, to start the next.
  private var running = 0
  private var runCount = 0
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var isBeginning = false
  /// Operators' schedules with ticks that wait for a session.
  private var waiting: Set<String> = []
  /// A run ended while a search for the next was running.
  private var isRoomNew = false
  /// The callers that wait until a run ends.
  private var rooms: [CheckedContinuation<Void, Never>] = []

  /// The runner of operators' functions, which connects as `operators` defines.
  package init(
    operators: ConnectionOptions, in context: JobContext, node: String, runsMax: Int = RunSessions.countMax
  ) {
    self.context = context
    self.node = node
    self.runsMax = runsMax
    name = Self.name
    kind = .operators
    sessions = RunSessions(OperatorRun(options: operators).session, time: context.time)
    actions = [:]
  }

  /// The runner of the daemon's own schedules.
  package init(_ schedules: [BuiltInSchedule], in context: JobContext, node: String, runsMax: Int = 4) {
    self.context = context
    self.node = node
    self.runsMax = runsMax
    name = Self.builtInName
    sessions = nil
    actions = Dictionary(uniqueKeysWithValues: schedules.map { ($0.schedule.name, $0.action) })
    kind = .builtIn(schedules.map(\.schedule.name).sorted())
  }

  package func pruneResolvedFailures(_ session: Connection) async throws {}

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    do {
      outcome.items = try await begin(until: stopFlag)
    } catch {
      outcome.interruption = error
    }
    outcome.isFull = running >= runsMax
    return outcome
  }

  /// Starts as many due runs as there is room for. A run that ends makes room for the next. One task polls at a time.
  private func begin(until stopFlag: StopFlag) async throws -> Int {
    guard !isBeginning else {
      isRoomNew = true
      return 0
    }
    isBeginning = true
    defer { isBeginning = false }
    var count = 0
    var isShort = false
    repeat {
      isRoomNew = false
      guard !stopFlag.isRequested, running < runsMax else { break }
      let claimed = try await claim(runsMax - running, isFurther: isShort)
      for run in claimed.begun { start(run, until: stopFlag) }
      count += claimed.begun.count + claimed.revived
      isShort = claimed.isShort
    } while isRoomNew || isShort
    return count
  }

  /// Whether nothing is running, and no ended run's task is searching for the next.
  var isAtRest: Bool { tasks.isEmpty }

  private func start(_ run: Begun, until stopFlag: StopFlag) {
    running += 1
    runCount += 1
    let id = runCount
    tasks[id] = Task {
      await self.carryOut(run)
      self.running -= 1
      // An error here occurs again in the loop's next iteration, which reports it.
      if !Task.isCancelled { _ = try? await self.begin(until: stopFlag) }
      self.tasks[id] = nil
      self.openRoom()
    }
  }

  package func room() async {
    while running >= runsMax { await withCheckedContinuation { rooms.append($0) } }
  }

  private func openRoom() {
    guard running < runsMax else { return }
    for room in rooms { room.resume() }
    rooms = []
  }

  /// Each node prepares sessions for the runs that are left when the nodes before it have started all they can.
  package func announce(_ coming: ComingWork) async {
    guard coming.work != name else { return }
    await sessions?.expect(at: coming.due, others: coming.rank * runsMax) { [context] in
      let count = try? await context.pool.withConnection { connection in
        try await connection.query(OccurrenceStatements.nextOfOperators).one(Int64.self)
      }
      return Int(count ?? 0)
    }
  }

  /// Waits for the running runs; when the caller's deadline passes they are rolled back, for other nodes to run.
  package func finish() async {
    while !tasks.isEmpty {
      let tasks = Array(tasks.values)
      await withTaskCancellationHandler {
        for task in tasks { await task.value }
      } onCancel: {
        for task in tasks { task.cancel() }
      }
    }
    await sessions?.end()
  }

  private func carryOut(_ begun: Begun) async {
    let run = begun.run
    let watch = watch(run)
    do {
      if run.call != nil {
        switch begun.session {
        case .success(let session): try await OperatorRun.carryOut(run, on: session, time: context.time)
        case .failure(let error):
          watch.cancel()
          return await postpone(run, error)
        }
        waiting.remove(run.schedule)
      } else if let action = actions[run.schedule] {
        try await carryOut(run, action)
      } else {
        throw EngineError(.notAllowed, "this daemon version has no schedule named \(run.schedule)")
      }
      let now = context.time.now()
      context.observe(.batch(job: name, items: 1, elapsed: now - run.began, lateness: now - run.due))
      if case .success(let session) = begun.session { await sessions?.giveBack(session, after: run) }
    } catch {
      watch.cancel()
      await fail(run, error)
    }
    watch.cancel()
    if await watch.value { await undoAttempts(run) }
  }

  private func carryOut(_ run: ClaimedOccurrence, _ action: @escaping BuiltInSchedule.Action) async throws {
    let pool = context.pool
    if run.timeout > pool.options.statementTimeout {
      try await pool.withDedicatedConnection(timeout: run.timeout) { [context] in
        try await Self.carryOut(run, action, context, $0)
      }
    } else {
      try await pool.withConnection { [context] in try await Self.carryOut(run, action, context, $0) }
    }
  }

  /// The effect and the end of its occurrence commit together.
  private static func carryOut(
    _ run: ClaimedOccurrence, _ action: @escaping BuiltInSchedule.Action, _ context: JobContext,
    _ connection: Connection
  ) async throws {
    let takenOver = EngineError(.notAllowed, "the occurrence was taken over by another node")
    try await connection.transaction { transaction in
      guard try await !transaction.query(OccurrenceStatements.lockRun(run)).isEmpty else { throw takenOver }
      let now = try await context.gate.again(transaction)
      let rows = try await action(run.instant, now, transaction)
      try await transaction.execute(ProblemStatements.solve(ProblemStatements.name(of: run.schedule)))
      guard try await transaction.execute(OccurrenceStatements.end(run, rows: rows)) == 1 else { throw takenOver }
      transaction.beforeCommit(OccurrenceStatements.leave([run.key]))
    }
  }

  /// There was no session: the tick waits for one, however long, and that is reported once.
  private func postpone(_ run: ClaimedOccurrence, _ error: any Error) async {
    let text = "no session for the run at \(run.instant): \(FailureText(error).text)"
    if waiting.insert(run.schedule).inserted {
      context.observe(.warning(job: name, key: run.schedule, text: "\(text); the run waits until one is available"))
    }
    _ = try? await context.pool.transaction { transaction in
      guard try await transaction.execute(OccurrenceStatements.uncount(run)) == 1 else { return }
      try await transaction.execute(OccurrenceStatements.reportProblem(run.schedule, "\(run.schedule) waits: \(text)"))
    }
  }

  /// A failure is final, except as `RunFate` defines, or if it could not be written: then the row is revived later.
  private func fail(_ run: ClaimedOccurrence, _ error: any Error) async {
    let fate = RunFate(Verdict(of: error), attempt: run.attempt, isOperators: run.call != nil)
    guard !Task.isCancelled, fate == .fails else {
      if run.call != nil, !Task.isCancelled {
        context.observe(
          .warning(
            job: name, key: run.schedule,
            text: "attempt \(run.attempt) of \(OccurrenceStatements.attemptsMax) at \(run.instant): \(error)"))
      }
      return context.observe(.contention(job: name, error: error))
    }
    let text = FailureText(error, attempt: run.attempt)
    do {
      let hasFailed = try await context.pool.transaction { transaction in
        // A run whose result was lost may have succeeded nevertheless, or belong to another node: then nothing failed.
        guard try await transaction.execute(OccurrenceStatements.fail(run, reason: text.text)) == 1 else {
          return false
        }
        try await transaction.execute(OccurrenceStatements.leaveIfOver(run))
        try await transaction.execute(
          OccurrenceStatements.reportProblem(run.schedule, "\(run.schedule) failed at \(run.instant): \(text.text)"))
        return true
      }
      if hasFailed { context.observe(.runFailed(schedule: run.schedule, instant: run.instant, error: text)) }
    } catch {
      context.observe(.contention(job: name, error: error))
    }
  }

  package nonisolated func overdue(_ session: Connection) async throws -> Int64 {
    try await session.query(OccurrenceStatements.overdue(kind)).one(Int64.self)
  }

  package nonisolated func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }

  package func recoverFromCrash() async {}
}
