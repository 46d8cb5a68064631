import Postgres

/// Runs one job's batches: each step of `Batches` is a transaction here.
package actor JobRunner<J: Job>: SourcedWork {
  package typealias Key = J.Key

  package nonisolated let job: J
  package nonisolated var name: String { job.name }
  package nonisolated var source: DueSource { job.source }
  package nonisolated var isLeased: Bool { false }
  package nonisolated var progress: String? { job.progress }
  package nonisolated var ignoresClockStop: Bool { job.ignoresClockStop }
  package nonisolated var stopsAfterRestore: Bool { job.stopsAfterRestore }
  package nonisolated var lead: Duration { job.readsWithClaim ? context.lead : .zero }
  package nonisolated let nextDue: String
  package nonisolated let planned: String
  package nonisolated let followingDue: String?

  /// The number of longest due items that are checked when a run ends, in addition to those that could be claimed and
  /// not written.
  static var longestMax: Int { 16 }

  let context: JobContext
  var batches: Batches<J.Key>
  /// Whether the last batch failed before it named its items: the next one reads in a round trip of its own.
  private var readsApart = false
  /// The wait for one item, while there is one.
  private var probe: Task<Void, Never>?
  /// When its last run began, by the node's own time.
  private(set) var lastWorked: Duration?
  /// When another lane last had a session with plans.
  var lanesReady: Duration?
  /// The other lanes of the current run, and the number of items done by ended ones.
  var lanes: [Task<Int, Never>] = []
  var areLanesClosing = false
  var itemsOfLanes = 0
  /// The pause of the lane that watches, and the size of its next batch where `Batches` finds enough work.
  var watchPause: Task<Void, Never>?
  var watchSize: BatchSize?
  /// The next run, as the last poll expects it.
  var coming: ComingWork?
  var rehearsal: Task<Void, Never>?
  /// The instant that the last rehearsal was for.
  var rehearsedFor: Duration?
  /// The last announced instant, if the business clock is the server's.
  var announced: ServerInstant?

  package init(_ job: J, in context: JobContext) {
    self.job = job
    self.context = context
    batches = Batches(job.name, Batches.Rules(largest: job.largestBatch, target: context.batchTarget))
    (nextDue, planned) = (job.source.nextDue(job: job.name), job.source.planned(job: job.name))
    followingDue = job.usesLanes && context.lanes > 1 ? job.source.followingDue(job: job.name) : nil
  }

  package func recoverFromCrash() {
    batches.recoverFromCrash()
  }

  package func runDue(until stopFlag: StopFlag, due: Duration = .zero) async -> RunOutcome {
    lastWorked = context.time.now()
    if !job.isBackground { context.foreground.begin() }
    defer { if !job.isBackground { context.foreground.end() } }
    startProbe()
    batches.begin()
    itemsOfLanes = 0
    startWatch(until: stopFlag)
    var due: Duration? = due
    while true {
      if job.isBackground, batches.isBetweenBatches, !stopFlag.isRequested {
        await context.foreground.stepAside(atMost: context.backgroundPause, time: context.time)
      }
      startLanes(until: stopFlag)
      let step = batches.next(now: context.time.now(), isStopped: stopFlag.isRequested || Task.isCancelled)
      // What follows a failure, and what is left at the end, is judged while no other lane holds a row.
      if !step.isPlainBatch, !(step.isLastLook && isWatchAlone) { await joinLanes() }
      do {
        switch step {
        case .findSuspects: try await findSuspects()
        case .batch(let limit, let avoidsLocked):
          try await batch(request(limit, due: due), avoidsLocked: avoidsLocked, due: due)
          due = nil
        case .alone(let key):
          let attempt = try await attempt(LockRequest(limit: 1, only: key), claimed: Claimed())
          batches.done(attempt.done, now: context.time.now())
        case .record(let key, let error, let isCounted):
          try await record(error, of: key, isCounted: isCounted)
          batches.recorded(now: context.time.now())
        case .findLeft(let among): batches.found(left: try await stillDue(among), now: context.time.now())
        case .end(var outcome):
          outcome.items += itemsOfLanes
          return outcome
        }
      } catch {
        batches.failed(error, now: context.time.now())
      }
      for news in batches.takeNews() { context.observe(news) }
    }
  }

  /// The claim of the next batch. The first at an instant, which somebody may wait for, reads in the same round trip.
  private func request(_ limit: Int, due: Duration?) -> LockRequest<J.Key> {
    let remembersKeys = due != nil && !readsApart && !batches.isRecovering && job.readsWithClaim
    var request = LockRequest(limit: limit, except: batches.leftOut, remembersKeys: remembersKeys)
    if let due, due > context.time.now() { request.notBefore = announced?.at(due) }
    return request
  }

  private func batch(_ request: LockRequest<J.Key>, avoidsLocked: Bool, due: Duration?) async throws {
    let claimed = Claimed<J.Key>()
    let started = max(context.time.now(), due ?? .zero)
    do {
      let attempt = try await attempt(request, avoidsLocked: avoidsLocked, claimed: claimed)
      readsApart = false
      let ended = max(context.time.now(), started)
      batches.done(attempt.done, locked: attempt.locked, lockedFor: claimed.since.map { ended - $0 }, now: ended)
      guard !attempt.done.isEmpty else { return }
      context.observe(
        .batch(
          job: name, items: attempt.done.count, elapsed: ended - started, lateness: due.map { max(.zero, ended - $0) }))
    } catch {
      // Claims that read apart name the items of the failure.
      readsApart = request.remembersKeys && claimed.keys.isEmpty
      if readsApart, ItemFate(of: error) == .counts {
        return try await batch(request.withoutReads, avoidsLocked: avoidsLocked, due: due)
      }
      batches.failed(error, claimed: claimed.keys, now: context.time.now())
    }
  }

  /// The outcome of one transaction, for the items that it claimed.
  struct Attempt {
    var done: [J.Key] = []
    /// The items that could not be written, because other transactions have locked rows that they need.
    var locked: Set<J.Key> = []
  }

  /// Gather, decide, apply: one transaction.
  func attempt(
    _ request: LockRequest<J.Key>, avoidsLocked: Bool = false, claimed: Claimed<J.Key>
  ) async throws -> Attempt {
    let afterCrash = batches.isRecovering
    do {
      let (attempt, warnings) = try await context.pool.transaction { [job, context] transaction in
        try await Self.transact(
          job, request, context, avoidsLocked: avoidsLocked, countsBefore: afterCrash, claimed, transaction)
      }
      for (key, text) in warnings { context.observe(.warning(job: name, key: key.description, text: text)) }
      if afterCrash { await uncount(Array(attempt.locked)) }
      return attempt
    } catch {
      await uncount(batches.uncounted(claimed.keys, after: error))
      throw error
    }
  }

  /// The first statements of each transaction: the limit of waits, the wait for the instant, the claim, the gate, and
  /// the reads of kept keys.
  ///
  /// A batch with kept keys has one plan for each statement in a session. The server would plan the first five
  /// uses separately, which takes longer than to settle a race.
  static func opening(_ job: J, _ request: LockRequest<J.Key>, _ context: JobContext) -> [Statement] {
    let plans = request.remembersKeys ? "force_generic_plan" : "auto"
    return [
      """
      SELECT set_config('lock_timeout', \("\(context.lockWait.milliseconds)ms"), true),
        set_config('plan_cache_mode', \(plans), true), settled.wait_until(\(request.notBefore?.server))
      """,
      job.lock(request), ClaimGate.entry(job.name, ignoresClockStop: job.ignoresClockStop),
    ] + (request.remembersKeys ? job.reads(.claimed) : [])
  }

  private static func transact(
    _ job: J, _ request: LockRequest<J.Key>, _ context: JobContext, avoidsLocked: Bool, countsBefore: Bool,
    _ claimed: Claimed<J.Key>, _ transaction: Transaction
  ) async throws -> (Attempt, warnings: [(J.Key, String)]) {
    if request.mode == .wait {
      claimed.backend = try await transaction.query("SELECT pg_backend_pid()").one(Int32.self)
    }
    let began = max(context.time.now(), request.notBefore?.node ?? .zero)
    let replies = try await transaction.pipeline(opening(job, request, context))
    guard let now = try context.gate.admit(replies[2], ignoresClockStop: job.ignoresClockStop) else {
      return (Attempt(), [])
    }
    let keys = try J.Key.decode(replies[1])
    guard !keys.isEmpty else { return (Attempt(), []) }
    claimed.note(keys, since: request.remembersKeys ? began : context.time.now())
    if countsBefore { try await context.countAttempts(job: job.name, keys: keys.map(\.description)) }
    let inputs =
      request.remembersKeys
      ? try await job.gather(keys, from: Array(replies[3...]), at: now, in: transaction)
      : try await job.gather(keys, at: now, in: transaction)
    var decided: [(key: J.Key, decision: J.Decision)] = []
    decided.reserveCapacity(inputs.count)
    for input in inputs {
      try context.beforeDecision(job.name, job.key(of: input).description)
      decided.append((job.key(of: input), try job.decide(input, at: now)))
    }
    var attempt = Attempt(done: keys)
    if avoidsLocked {
      let locked = try await job.lockedByOthers(decided.map(\.decision), at: now, in: transaction)
      attempt = Attempt(done: keys.filter { !locked.contains($0) }, locked: locked)
      decided.removeAll { locked.contains($0.key) }
    }
    if !decided.isEmpty { try await job.apply(decided.map(\.decision), at: now, in: transaction) }
    transaction.beforeCommit(FailureStatements.clear(job: job.name, keys: attempt.done.map(\.description)))
    return (attempt, decided.flatMap { item in job.warnings(of: item.decision).map { (item.key, $0) } })
  }

  /// Records the failure of one item; `isCounted` if its attempt was counted before its decision.
  private func record(_ error: any Error, of key: J.Key, isCounted: Bool) async throws {
    let text = FailureText(error)
    let (attempts, quarantined) = try await context.pool.withConnection { [name, context] connection in
      try await connection.query(
        FailureStatements.record(
          job: name, keys: [key.description], error: text, counted: isCounted, policy: context.retries)
      ).one(Int64.self, Bool.self)
    }
    context.observe(
      .itemFailed(job: name, key: key.description, attempts: Int(attempts), quarantined: quarantined, error: text))
  }

  private func uncount(_ keys: [J.Key]) async {
    if !keys.isEmpty { await context.uncountAttempts(job: name, keys: keys.map(\.description)) }
  }

  private func findSuspects() async throws {
    let rows = try await context.pool.withConnection { [name] connection in
      try await connection.query(FailureStatements.suspects(job: name)).decode(String.self, Bool.self)
    }
    let suspects = rows.compactMap { text, isReady in J.Key(text).map { (key: $0, isReady: isReady) } }
    batches.suspected(suspects.map(\.key), ready: suspects.filter(\.isReady).map(\.key))
  }

  // MARK: Items that others have locked

  /// The longest due items, locked or not, and after them the due items of `among`.
  private func stillDue(_ among: [J.Key]) async throws -> [J.Key] {
    try await context.pool.withConnection { [job] connection in
      let longest = LockRequest<J.Key>(limit: Self.longestMax, mode: .peek)
      var due = try J.Key.decode(await connection.query(job.lock(longest)))
      guard !among.isEmpty else { return due }
      let request = LockRequest<J.Key>(limit: among.count, mode: .peek, among: among)
      let known = Set(due)
      due += try J.Key.decode(await connection.query(job.lock(request))).filter { !known.contains($0) }
      return due
    }
  }

  /// Tries one locked item, if it is time and no other is being tried; batches continue meanwhile.
  private func startProbe() {
    guard probe == nil, batches.hasLocked else { return }
    probe = Task {
      await waitForOne()
      probe = nil
    }
  }

  package func finish() async {
    rehearsal?.cancel()
    await rehearsal?.value
    await probe?.value
  }

  private func waitForOne() async {
    guard let due = try? await stillDue(batches.lockedByOthers), let key = batches.toWaitFor(in: due) else { return }
    let claimed = Claimed<J.Key>()
    let lockProbe = LockProbe(context: context)
    let blockers = lockProbe.blockers(of: claimed)
    defer { blockers.cancel() }
    do {
      _ = try await attempt(LockRequest(limit: 1, mode: .wait, only: key), claimed: claimed)
      batches.waited(for: key)
    } catch {
      switch batches.waited(for: key, error, now: context.time.now()) {
      case .none: break
      case .record(let isCounted): try? await record(error, of: key, isCounted: isCounted)
      case .listLocked:
        blockers.cancel()
        let holders = await blockers.value
        await lockProbe.list(job: name, key: key.description, lockedBy: holders)
        await lockProbe.endHung(holders)
      case .listSpared: await lockProbe.list(job: name, key: key.description, delayedBy: error)
      }
    }
  }
}

/// Further lanes of a run: batches in parallel with those of the run itself.
///
/// A lane commits a batch or gives up. It judges no failure: after one, this node claims alone until the next run has
/// ended, and meets the item again. Source: Engine.docc/Failures.md, "Lanes".
extension JobRunner {
  /// The longest pause of the lane that watches: items may have been written meanwhile.
  private static var watchInterval: Duration { .milliseconds(250) }

  /// Starts the lane that claims what falls due while a batch of the run works.
  func startWatch(until stopFlag: StopFlag) {
    let following = coming?.following
    (coming, watchSize) = (nil, nil)
    guard job.usesLanes, context.lanes > 1 else { return }
    areLanesClosing = false
    lanes = [Task { await watch(following: following, until: stopFlag) }]
  }

  /// Starts the other lanes where `Batches` finds enough work for them; the lane that watches stops to pause.
  func startLanes(until stopFlag: StopFlag) {
    guard job.usesLanes, context.lanes > 1, lanes.count < context.lanes - 1 || watchPause != nil,
      let size = batches.sizeForLanes
    else { return }
    areLanesClosing = false
    watchSize = size
    watchPause?.cancel()
    lanes += (lanes.count + 1..<context.lanes).map { _ in Task { await lane(size, until: stopFlag) } }
  }

  /// Whether no lane but the one that watches is open, and that one pauses.
  var isWatchAlone: Bool { lanes.count == 1 && watchPause != nil }

  /// Ends the other lanes after their batches. Then no lane of this node holds a row.
  func joinLanes() async {
    areLanesClosing = true
    watchPause?.cancel()
    for lane in lanes { itemsOfLanes += await lane.value }
    lanes = []
  }

  /// Claims items at the instants at which they fall due, until the run ends. Returns how many items it has done.
  private func watch(following: Duration?, until stopFlag: StopFlag) async -> Int {
    // The run's own batch claims what is due when it starts.
    var next = following.flatMap { $0 > context.time.now() ? $0 : nil }
    var items = 0
    while !areLanesClosing {
      let wait = next.map { max(.zero, $0 - leadOfLane - context.time.now()) } ?? Self.watchInterval
      let pause = min(wait, Self.watchInterval)
      watchPause = Task { [time = context.time] in try? await time.sleep(pause) }
      await watchPause?.value
      watchPause = nil
      guard !areLanesClosing, !stopFlag.isRequested, let size = watchSize ?? batches.sizeForWatch else { break }
      watchSize = nil
      let due = next.flatMap { $0 - leadOfLane <= context.time.now() ? $0 : nil }
      items += await lane(size, due: due, until: stopFlag)
      if !areLanesClosing { next = await nextInstant() }
    }
    return items
  }

  /// How long before an instant a lane begins.
  private var leadOfLane: Duration { announced == nil ? .zero : lead }

  /// When the next item falls due that is not due yet, by the node's own time; nil: unknown.
  private func nextInstant() async -> Duration? {
    let answer = try? await context.pool.withConnection { [job] connection in
      try await connection.query(job.source.untilNext(job: job.name)).one(Int64?.self, Timestamp.self)
    }
    guard let answer, let microseconds = answer.0 else { return nil }
    let wait = Duration.microseconds(microseconds)
    // A little late rather than early: a claim before the instant finds nothing.
    let due = context.time.now() + wait
    if announced != nil { announced = ServerInstant(node: due, server: answer.1.advanced(by: wait)) }
    return due
  }

  /// Claims batches until nothing is free. Returns how many items it has done.
  private func lane(_ first: BatchSize, due: Duration? = nil, until stopFlag: StopFlag) async -> Int {
    var (size, items) = (first, 0)
    while !areLanesClosing, !stopFlag.isRequested {
      let claimed = Claimed<J.Key>()
      let began = max(context.time.now(), items == 0 ? due ?? .zero : .zero)
      let request = request(size.items, due: items == 0 ? due : nil)
      guard let attempt = try? await attempt(request, claimed: claimed) else {
        batches.laneFailed()
        break
      }
      guard !attempt.done.isEmpty else { break }
      let ended = max(context.time.now(), began)
      lanesReady = ended
      let lateness = items == 0 ? due.map { max(.zero, ended - $0) } : nil
      items += attempt.done.count
      size.observe(count: attempt.done.count, elapsed: ended - (claimed.since ?? began))
      context.observe(.batch(job: name, items: attempt.done.count, elapsed: ended - began, lateness: lateness))
    }
    return items
  }
}
