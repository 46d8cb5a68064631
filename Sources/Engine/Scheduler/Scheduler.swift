package import Postgres
import Synchronization

/// The node's one loop: looks at what is due, starts work, and sleeps until the earliest due instant, a
/// notification, or the fallback poll.
///
/// Nothing polls while nothing is due. The loop never ends for a database that is away; it ends when it is stopped, or
/// when `admit` says that this schema is not for this program.
package final class Scheduler: Sendable {
  private let pool: Pool
  private let works: [any Work]
  private let options: SchedulerOptions
  private let time: Timekeeper
  private let observe: @Sendable (Observation) -> Void
  private let signals = Signals()
  private let stopFlag = StopFlag()
  /// The flag that running work reads before it claims more: this node drains or stops.
  private let claims = StopFlag()
  private let clockGuard: ClockGuard
  private let restoreGuard: RestoreGuard
  /// The last verdict on the clocks: it is reported once, not after each poll.
  private let lastVerdict = Mutex<ClockVerdict>(.agrees)
  private let name: NodeName
  private let notified: NotifiedPolls
  /// The works that have successors, and the successors.
  private let chain: Set<String>

  package init(
    pool: Pool, works: [any Work], options: SchedulerOptions, time: Timekeeper, clockGuard: ClockGuard,
    marks: [HistoryMark] = [], history: HistoryStorage? = nil, stopsAfterRestore: Set<String> = [],
    stopsElsewhere: Set<String> = [],
    observe: @escaping @Sendable (Observation) -> Void
  ) {
    self.pool = pool
    self.works = works
    self.options = options
    self.time = time
    self.clockGuard = clockGuard
    self.observe = observe
    restoreGuard = RestoreGuard(
      node: options.node, jobs: stopsAfterRestore.union(works.filter(\.stopsAfterRestore).map(\.name)).sorted(),
      jobsElsewhere: stopsElsewhere.sorted(), marks: marks, storage: history,
      observe: observe)
    chain = Set(works.flatMap { $0.successors.isEmpty ? [] : $0.successors + [$0.name] })
    name = NodeName(options.node, time: time, observe: observe)
    notified = NotifiedPolls(node: options.node, time: time) { [signals] in signals.update { $0.isWoken = true } }
  }

  /// The channel on which writers notify.
  package static let channel = "settled"

  /// Makes all nodes look at once.
  package static let wakeUp: Statement = "SELECT settled.notify('')"

  /// Stops claiming; `run` returns when the batches under way have ended.
  package func stop() {
    stopFlag.request()
    claims.request()
    signals.update { $0.stop = true }
  }

  /// Stops claiming without ending, until `undrain`.
  package func drain() {
    claims.request()
    wake()
  }

  package func undrain() {
    claims.lift()
    // In this order a stop that comes meanwhile stands.
    if stopFlag.isRequested { claims.request() }
    wake()
  }

  private var isDraining: Bool { claims.isRequested && !stopFlag.isRequested }

  /// Polls again now.
  package func wake() {
    signals.update { $0.isWoken = true }
  }

  /// Runs until stopped.
  ///
  /// `admit` checks the schema on each new acquaintance with the database; what it throws that is not the database's
  /// own error ends the loop. Another daemon under this node's name ends it with `EngineError.nameTaken`.
  package func run(listener: Listener, admit: @escaping @Sendable (Connection) async throws -> Void) async throws {
    var greeted = listener
    greeted.greeting = { [name] connection async throws(PostgresError) in try await name.claim(on: connection) }
    for work in works { await work.onCompletion { [signals] in signals.update { $0.isWoken = true } } }
    // Ended by leaving the scope.
    async let _: Void = follow(greeted)
    try await watch(admit)
  }

  /// The loop: it meets the database, polls, starts work and sleeps; after each loss it begins anew.
  private func watch(_ admit: @Sendable (Connection) async throws -> Void) async throws {
    try await withThrowingDiscardingTaskGroup { runs in
      var loop = SchedulerLoop(options: options, works: works.map(\.name))
      var hasMet = false
      var lastError: PostgresError?
      while !stopFlag.isRequested && !Task.isCancelled {
        do {
          guard let met = try await meet(isFirst: !hasMet, admit) else { break }
          if lastError != nil { observe(.databaseBack) }
          hasMet = true
          lastError = nil
          loop.meetAgain()
          if try await iterate(&loop, on: met, in: &runs) { break }
        } catch let error as PostgresError {
          // The daemon stays up and tries again after any error; it reports each kind of error once.
          if lastError?.isSameKind(as: error) != true { observe(.databaseAway(error)) }
          lastError = error
          await rest(until: time.now() + loop.pauseAfterFailure(draw: time.draw()))
        }
      }
      await finish(&loop)
      if let refusal = name.refusal { throw refusal }
    }
  }

  /// A first start waits until the name is its own, so that it does not write over another daemon's row; where no
  /// connection can listen, not for long. False where a stop was asked for meanwhile.
  private func waitForName() async throws -> Bool {
    let end = time.now() + .seconds(5)
    while name.isOpen, !stopFlag.isRequested, !Task.isCancelled, time.now() < end {
      await signals.wait(atMost: end - time.now(), time: time)
    }
    if let refusal = name.refusal { throw refusal }
    return !stopFlag.isRequested && !Task.isCancelled
  }

  /// The first questions to a database: is the schema ours, what did the clock say, and (in a new process) did the last
  /// run end cleanly? Returns the connection that it met with; nil where a stop came before the node had its name.
  private func meet(isFirst: Bool, _ admit: @Sendable (Connection) async throws -> Void) async throws -> Connection? {
    let met = try await pool.withConnection {
      [options, clockGuard, restoreGuard, name] connection -> (Connection, Bool)? in
      try await admit(connection)
      try await restoreGuard.look(connection)
      if isFirst, try await !waitForName() { return nil }
      let (isSimulated, remembered) = try await ClockStatements.met(
        connection.query(ClockStatements.meeting(node: options.node)))
      clockGuard.meet(node: options.node, isSimulated: isSimulated, remembered: remembered)
      try await pruneResolvedFailures(connection)
      let (wasUnclean, startedAt) = try await connection.query(
        NodeStatements.register(node: options.node, version: options.version, hasProvider: options.hasProvider)
      ).one(Bool.self, Timestamp.self)
      name.registered(at: startedAt)
      return (connection, wasUnclean)
    }
    guard let (connection, wasUnclean) = met else { return nil }
    let afterCrash = isFirst && wasUnclean
    if afterCrash {
      for work in works { await work.recoverFromCrash() }
    }
    observe(.started(node: options.node, afterCrash: afterCrash))
    return connection
  }

  /// Deletes failures of items that are done. Where that fails for one job, its polls and batches say why.
  private func pruneResolvedFailures(_ connection: Connection) async throws {
    for work in works {
      do {
        try await work.pruneResolvedFailures(connection)
      } catch let error as PostgresError where error.verdict.allowsOthers {
        observe(.contention(job: work.name, error: error))
      }
    }
  }

  /// Polls, starts work and sleeps, until stopped or until the database is away.
  ///
  /// Returns false where the connection is no longer the one that it met with: then it must meet again.
  private func iterate(
    _ loop: inout SchedulerLoop, on met: Connection, in runs: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws -> Bool {
    var duePoll = DuePoll(works)
    while true {
      let news = signals.take()
      // Finished work is noted before the end too, because the end waits for all other work.
      loop.note(news, now: time.now(), draw: time.draw)
      if news.stop || Task.isCancelled { return true }
      startSuccessors(of: news.finished, &loop, in: &runs)
      notified.begin()
      let found = try await pool.withConnection { connection in
        connection === met ? try await duePoll.poll(connection, &loop.interruptions, time: time) : nil
      }
      guard let snapshot = found, !snapshot.isUnmetCopy else { return false }
      for observation in loop.interruptions.takeNews() { observe(observation) }
      let seen = time.now() - snapshot.age
      let reading = clockGuard.reading(database: snapshot.real)
      let isHeartbeat = loop.isHeartbeatDue(now: time.now())
      let verdict = try await watchClock(snapshot, reading, isHeartbeat: isHeartbeat)
      if isHeartbeat {
        try await beat(snapshot, verdict, needsNotify: loop.isMarked)
        loop.beat(now: time.now())
      }
      observe(.polled(NodeSnapshot(snapshot, reading: reading, verdict: verdict, isDraining: isDraining)))
      let plan = loop.plan(snapshot, now: seen, mayClaim: !claims.isRequested, clockAgrees: verdict == .agrees)
      notified.end(nodes: snapshot.nodes, hasFound: !plan.start.isEmpty)
      for work in works where plan.start.contains(work.name) {
        start(work, due: seen - (snapshot.items[work.name]?.lateBy ?? .zero), in: &runs)
      }
      await prewarm(plan.prewarmed, seen: seen)
      if let needsNotify = plan.needsNotify {
        _ = try await pool.withConnection { [options] connection in
          try await connection.execute(NodeStatements.setNeedsNotify(node: options.node, needsNotify))
        }
        loop.marked(needsNotify)
        if needsNotify { continue }
      }
      // After the starts, which it would delay. A heartbeat has just remembered more.
      if !isHeartbeat {
        try await pool.withConnection { [restoreGuard] connection in
          if connection === met { try await restoreGuard.note(connection) }
        }
      }
      if plan.isAsleep { observe(.asleep) }
      await rest(until: min(seen + plan.wait, duePoll.nextAttempt ?? .seconds(Int64.max)))
      guard met.isOpen else { continue }
      await startOnTime(plan.prewarmed.filter { $0.value.rank == 0 }.mapValues { seen + $0.dueIn }, &loop, in: &runs)
    }
  }

  private func prewarm(_ prewarmed: [String: SchedulerLoop.Plan.Prewarmed], seen: Duration) async {
    for work in works {
      guard let coming = prewarmed[work.name] else { continue }
      for successor in works where work.successors.contains(successor.name) {
        await successor.prewarm(seen + coming.dueIn, rank: coming.rank)
      }
    }
  }

  /// Starts upcoming work at its due instants, where this node comes first.
  ///
  /// No poll is made meanwhile, because it would only delay the work. It ends when something happens, or after as long
  /// as work may run without a poll. For `options.calm` the ends of the planner and of its successors do not end it.
  private func startOnTime(
    _ upcoming: [String: Duration], _ loop: inout SchedulerLoop, in runs: inout ThrowingDiscardingTaskGroup<any Error>
  ) async {
    let end = time.now() + options.pollWhileBusy
    var calmEnd: Duration?
    var upcoming = upcoming
    while !Task.isCancelled {
      let now = time.now()
      let isCalm = calmEnd.map { now < $0 } ?? false
      if signals.hasNews {
        guard isCalm, let news = signals.take(where: { [chain] in $0.areOnlyEnds(of: chain) }) else { return }
        loop.note(news, now: now, draw: time.draw)
        startSuccessors(of: news.finished, &loop, in: &runs)
      }
      let names = loop.start(Set(upcoming.filter { $0.value <= now }.keys))
      guard isCalm || !names.isEmpty else { return }
      for work in works where names.contains(work.name) { start(work, due: upcoming[work.name] ?? now, in: &runs) }
      if calmEnd == nil, works.contains(where: { names.contains($0.name) && !$0.successors.isEmpty }) {
        calmEnd = now + options.calm
        notified.keepCalm(until: now + options.calm)
      }
      upcoming = upcoming.filter { $0.value > now }
      await rest(until: min(calmEnd ?? end, upcoming.values.min() ?? end))
    }
  }

  /// Successors that were made ready start at once: the planner's rows are there to be run.
  private func startSuccessors(
    of finished: [(name: String, outcome: RunOutcome)], _ loop: inout SchedulerLoop,
    in runs: inout ThrowingDiscardingTaskGroup<any Error>
  ) {
    guard !claims.isRequested else { return }
    let names = loop.start(finished.reduce(into: []) { $0.formUnion($1.outcome.ready) })
    for work in works where names.contains(work.name) { start(work, due: time.now(), in: &runs) }
  }

  /// Sleeps until something happens or the time is over, in pieces whose ends are signs of life.
  private func rest(until end: Duration) async {
    var left = max(.zero, end - time.now())
    repeat {
      observe(.iteration)
      let heartbeatInterval = min(left, options.heartbeatInterval ?? left)
      let isLast = heartbeatInterval == left
      await signals.wait(atMost: heartbeatInterval, time: time)
      left = end - time.now()
      if isLast || left <= .zero { return }
    } while !signals.hasNews
  }

  private func start(_ work: any Work, due: Duration, in runs: inout ThrowingDiscardingTaskGroup<any Error>) {
    runs.addTask { [signals, stop = work.isUnconditional ? stopFlag : claims, time, observe] in
      let outcome = await work.observedRun(until: stop, due: due, time: time, observe)
      signals.update { $0.finished.append((work.name, outcome)) }
      guard outcome.isFull else { return }
      await work.room()
      signals.update { $0.roomy.insert(work.name) }
    }
  }

  /// Writes a clock stop when the database's clock jumped, and its end when the clocks agree again or an operator
  /// accepted it. Reports each change.
  private func watchClock(_ snapshot: DueSnapshot, _ reading: ClockReading, isHeartbeat: Bool) async throws
    -> ClockVerdict
  {
    let actions = clockGuard.see(reading, snapshot.clocks, isHeartbeat: isHeartbeat)
    if !actions.isEmpty {
      let number = try await pool.transaction { [node = options.node, bootId = time.bootId] transaction in
        try await ClockAction.write(actions, node: node, bootId: bootId, transaction)
      }
      if let number { clockGuard.established(number) }
    }
    let verdict = clockGuard.judge(reading)
    let before = lastVerdict.withLock { last in
      defer { last = verdict }
      return last
    }
    let isNews = !verdict.isSameKind(as: before)
    for case .lift(let node) in actions { observe(.clockStopLifted(node: node)) }
    if actions.contains(.release) || isNews && before.isOfDatabase && !verdict.isOfDatabase {
      observe(.clockAgrees)
      wake()
    }
    if isNews {
      switch verdict {
      case .jumped(let difference): observe(.clockJumped(difference))
      case .outvoted(let difference): observe(.clockOutvoted(difference))
      case .hostIsOff(let difference): observe(.hostClockOff(difference))
      case .agrees: if case .hostIsOff = before { observe(.hostClockAgrees) }
      }
    }
    return verdict
  }

  private func beat(_ snapshot: DueSnapshot, _ verdict: ClockVerdict, needsNotify: Bool) async throws {
    let state = isDraining ? "draining" : verdict == .agrees ? "ready" : "degraded"
    let registered = try await pool.withConnection { [options, restoreGuard] connection -> Timestamp? in
      try await restoreGuard.look(connection)
      let beat = NodeStatements.beat(node: options.node, state: state, needsNotify: needsNotify)
      let rows = try await connection.query(beat).decode(Timestamp?.self)
      try await restoreGuard.remember(connection)
      return rows.compactMap { $0 }.first
    }
    if let isShared = name.noteSharing(startedAt: registered) { observe(.nameShared(isShared)) }
    if snapshot.items.values.contains(where: { $0.failing + $0.quarantined > 0 }) {
      try await pool.withConnection { try await pruneResolvedFailures($0) }
    }
  }

  private func execute(_ statement: Statement) async throws {
    _ = try await pool.withConnection { try await $0.execute(statement) }
  }

  /// Waits for the batches under way, and marks the node as stopped.
  private func finish(_ loop: inout SchedulerLoop) async {
    while loop.isBusy {
      await Task.yield()
      // Unstructured, because in a cancelled task it would return at once.
      await Task { await rest(until: time.now() + .seconds(1)) }.value
      loop.note(signals.take(), now: time.now(), draw: time.draw)
    }
    for work in works { await work.finish() }
    // The row of a name that is another's is not ours to write.
    if name.isRegistered, name.refusal == nil { try? await execute(NodeStatements.stop(node: options.node)) }
    restoreGuard.finish()
    observe(.stopped(node: options.node))
  }

  /// Passes notifications on, and reports when they do not come.
  ///
  /// Behind a proxy that pools transactions none would come, although LISTEN succeeds: nothing is followed there.
  private func follow(_ listener: Listener) async {
    guard options.ownsSessions else { return name.leaveUnproven() }
    var lastError: PostgresError?
    for await event in listener.events {
      switch event {
      case .listening:
        lastError = nil
        observe(.listening)
        signals.update {
          $0.isListening = true
          $0.isWoken = true
        }
      case .notification(let notification): notified.heard(notification)
      case .lost(let error):
        // Each attempt fails anew; each kind of error is reported once.
        if lastError?.isSameKind(as: error) != true { observe(.listenLost(error)) }
        lastError = error
        signals.update { $0.isListening = false }
      case .refused:
        stopFlag.request()
        claims.request()
        signals.update { $0.stop = true }
      }
    }
  }
}

extension PostgresError {
  fileprivate func isSameKind(as other: PostgresError) -> Bool {
    code == other.code && sqlState == other.sqlState
  }
}
