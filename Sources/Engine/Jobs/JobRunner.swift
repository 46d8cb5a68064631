import Postgres

/// Runs one job's batches: growing while they are quick, item by item when one fails.
package actor JobRunner<J: Job>: SourcedWork {
  package typealias Key = J.Key

  package nonisolated let job: J
  package nonisolated var name: String { job.name }
  package nonisolated var source: DueSource { job.source }
  package nonisolated var isLeased: Bool { false }
  package nonisolated var progress: String? { job.progress }
  package nonisolated var ignoresClockStop: Bool { job.ignoresClockStop }
  package nonisolated var stopsAfterRestore: Bool { job.stopsAfterRestore }

  let context: JobContext
  /// After an unclean exit: see `JobRunner+Recovery`.
  var isRecovering = false
  var suspects: [J.Key] = []
  var readySuspects: [J.Key] = []
  var lockContention = LockContention<J.Key>()
  var doubts = Doubts<J.Key>()
  /// The wait for one item, while there is one.
  var probe: Task<Void, Never>?
  /// When its last run began, by the node's own time.
  var lastWorked: Duration?
  var rehearsal: Task<Void, Never>?
  /// The instant that the last rehearsal was for.
  var rehearsedFor: Duration?

  package init(_ job: J, in context: JobContext) {
    self.job = job
    self.context = context
  }

  package func recoverFromCrash() {
    isRecovering = true
  }

  package func runDue(until stopFlag: StopFlag, due: Duration = .zero) async -> RunOutcome {
    var size = BatchSize(largest: job.largestBatch, target: context.batchTarget)
    var outcome = RunOutcome(items: 0)
    var isFirst = true
    lastWorked = context.time.now()
    if !job.isBackground { context.foreground.begin() }
    defer { if !job.isBackground { context.foreground.end() } }
    startProbe()
    doubts.begin()
    while !stopFlag.isRequested && !Task.isCancelled {
      if job.isBackground {
        await context.foreground.stepAside(atMost: context.backgroundPause, time: context.time)
        guard !stopFlag.isRequested else { break }
      }
      let started = context.time.now()
      let result = await nextBatch(limit: size.items, due: isFirst ? due : nil, until: stopFlag)
      isFirst = false
      outcome.items += result.done
      guard result.interruption == nil else {
        _ = doubts.end()
        outcome.interruption = result.interruption
        return outcome
      }
      if doubts.areEnough { break }
      guard result.done + result.left > 0 else {
        if doubts.release() { continue }
        break
      }
      size.observe(count: result.done + result.left, elapsed: result.lockedFor ?? context.time.now() - started)
    }
    await settleDoubts(&outcome, until: stopFlag)
    if outcome.interruption == nil { await noteLockContention() }
    return outcome
  }

  /// One batch, and after it what must not go in one.
  private func nextBatch(limit: Int, due: Duration?, until stopFlag: StopFlag) async -> BatchResult {
    guard isRecovering else { return await batch(limit: limit, due: due, until: stopFlag) }
    if let failure = await findSuspects() { return BatchResult(interruption: failure) }
    let result = await batch(limit: limit, due: due, until: stopFlag)
    guard result.interruption == nil, result.done + result.left == 0 else { return result }
    return await trySuspects(until: stopFlag)
  }

  /// One batch, and where it fails, its items one by one.
  private func batch(limit: Int, due: Duration?, until stopFlag: StopFlag) async -> BatchResult {
    let claimed = Claimed<J.Key>()
    let started = context.time.now()
    do {
      let keys = try await attempt(limit: limit, claimed: claimed).done
      if !keys.isEmpty {
        doubts.noteSuccess()
        let ended = context.time.now()
        context.observe(
          .batch(job: name, items: keys.count, elapsed: ended - started, lateness: due.map { ended - $0 }))
      }
      return BatchResult(done: keys.count, lockedFor: claimed.since.map { context.time.now() - $0 })
    } catch {
      let keys = claimed.keys
      let fate = ItemFate(of: error)
      switch fate {
      case .counts, .doubtful: break
      case .waits, .spared, .stops: context.observe(.contention(job: name, error: error))
      }
      guard !keys.isEmpty, fate != .stops else {
        if keys.count == 1 { doubts.postpone(keys[0]) }
        return BatchResult(interruption: error)
      }
      if fate == .waits, let result = await withoutLocked(limit: limit) { return result }
      if keys.count > 1 {
        context.observe(.batchSplit(job: name, items: keys.count, error: error))
      }
      return await onebyone(keys, first: keys.count == 1 && fate != .waits ? error : nil, until: stopFlag)
    }
  }

  /// One batch that leaves out, without waiting, the items whose rows others hold; nil where that is not known.
  private func withoutLocked(limit: Int) async -> BatchResult? {
    let claimed = Claimed<J.Key>()
    guard let attempt = try? await attempt(limit: limit, avoidsLocked: true, claimed: claimed),
      !attempt.locked.isEmpty
    else { return nil }
    if !attempt.done.isEmpty { doubts.noteSuccess() }
    let left = attempt.locked.filter { lockContention.noteLocked($0, now: context.time.now()) }.count
    return BatchResult(done: attempt.done.count, lockedFor: claimed.since.map { context.time.now() - $0 }, left: left)
  }

  /// Each in a transaction of its own. Items that others have locked are retried later; after a few of them the rest
  /// are left to the next batch, which leaves those out: every one of them costs a wait.
  func onebyone(_ keys: [J.Key], first: (any Error)?, until stopFlag: StopFlag) async -> BatchResult {
    var result = BatchResult()
    for key in keys where !stopFlag.isRequested && result.left < 8 && !doubts.areEnough {
      do {
        if let first { throw first }
        let done = try await attempt(limit: 1, only: key, claimed: Claimed()).done.count
        if done > 0 { doubts.noteSuccess() }
        result.done += done
      } catch {
        let fate = ItemFate(of: error)
        switch fate {
        case .counts:
          if let failure = await record(error, of: key, isCounted: isRecovering) {
            return result.interrupted(by: failure)
          }
          result.done += 1
        case .waits:
          guard lockContention.noteLocked(key, now: context.time.now()) else { return result }
          result.left += 1
        case .doubtful, .spared:
          doubts.note(key, error, fate)
          result.left += 1
        case .stops:
          doubts.postpone(key)
          return result.interrupted(by: error)
        }
      }
    }
    return result
  }

  /// Gather, decide, apply: one transaction.
  func attempt(
    limit: Int, only: J.Key? = nil, mode: LockRequest<J.Key>.Mode = .skipLocked, avoidsLocked: Bool = false,
    claimed: Claimed<J.Key>
  ) async throws -> Attempt<J.Key> {
    do {
      let attempt = try await transact(
        limit: limit, only: only, mode: mode, avoidsLocked: avoidsLocked, claimed: claimed)
      if isRecovering, !attempt.locked.isEmpty {
        await context.uncountAttempts(job: name, keys: attempt.locked.map(\.description))
      }
      return attempt
    } catch {
      if isRecovering { await undoAttempts(claimed.keys, after: error) }
      throw error
    }
  }

  private func transact(
    limit: Int, only: J.Key?, mode: LockRequest<J.Key>.Mode, avoidsLocked: Bool, claimed: Claimed<J.Key>
  ) async throws -> Attempt<J.Key> {
    let afterCrash = isRecovering
    let except = lockContention.lockedByOthers + suspects + doubts.leftOut
    let (attempt, warnings) = try await context.pool.transaction {
      [job, context] transaction -> (Attempt<J.Key>, [(J.Key, String)]) in
      if mode == .wait {
        claimed.backend = try await transaction.query("SELECT pg_backend_pid()").one(Int32.self)
      }
      let request = LockRequest(limit: limit, mode: mode, only: only, except: except)
      let replies = try await transaction.pipeline(Self.opening(job, request, context))
      guard let now = try context.gate.admit(replies[2], ignoresClockStop: job.ignoresClockStop) else {
        return (Attempt(), [])
      }
      let keys = try J.Key.decode(replies[1])
      guard !keys.isEmpty else { return (Attempt(), []) }
      claimed.note(keys, since: context.time.now())
      if afterCrash {
        try await context.countAttempts(job: job.name, keys: keys.map(\.description))
      }
      let inputs = try await job.gather(keys, at: now, in: transaction)
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
      if !decided.isEmpty {
        try await job.apply(decided.map(\.decision), at: now, in: transaction)
      }
      transaction.beforeCommit(FailureStatements.clear(job: job.name, keys: attempt.done.map(\.description)))
      return (attempt, decided.flatMap { item in job.warnings(of: item.decision).map { (item.key, $0) } })
    }
    for (key, text) in warnings { context.observe(.warning(job: name, key: key.description, text: text)) }
    return attempt
  }

  /// The first statements of each transaction: the limit of waits, the claim, and the gate.
  static func opening(_ job: J, _ request: LockRequest<J.Key>, _ context: JobContext) -> [Statement] {
    [
      "SET LOCAL lock_timeout = \(raw: JobContext.setting(context.lockWait))", job.lock(request),
      ClaimGate.entry(job.name, ignoresClockStop: job.ignoresClockStop),
    ]
  }

  /// Records the failure of one item; `isCounted` where its attempt was counted before its decision. Returns the error
  /// where even that could not be written.
  func record(_ error: any Error, of key: J.Key, isCounted: Bool) async -> (any Error)? {
    let text = FailureText(error)
    do {
      let (attempts, quarantined) = try await context.pool.withConnection { [name, context] connection in
        try await connection.query(
          FailureStatements.record(
            job: name, keys: [key.description], error: text, counted: isCounted, policy: context.retries)
        ).one(Int64.self, Bool.self)
      }
      context.observe(
        .itemFailed(
          job: name, key: key.description, attempts: Int(attempts), quarantined: quarantined, error: text))
      return nil
    } catch {
      return error
    }
  }
}

/// The outcome of one transaction, for the items that it claimed.
struct Attempt<Key: JobKey> {
  var done: [Key] = []
  /// Those that could not be written, because others hold rows that they need.
  var locked: Set<Key> = []
}

/// The outcome of one batch.
struct BatchResult {
  var done = 0
  /// How long one batch kept its items locked; nil where they were tried one by one.
  var lockedFor: Duration?
  /// Items that others have locked after all.
  var left = 0
  var interruption: (any Error)?

  func interrupted(by error: any Error) -> BatchResult {
    BatchResult(done: done, lockedFor: lockedFor, left: left, interruption: error)
  }
}
