package import Postgres

/// Makes the calls of one leased job: several at a time, each with its own lease.
///
/// Calls outlive the run that began them, so that a slow peer delays nothing else. How it fails: a node that ends or
/// hangs leaves its leases, which other nodes revoke in time. A reply that cannot be written is kept and written when
/// the database is back. While the peer refuses every call, one call at a time tests whether it still does.
package actor LeasedRunner<J: LeasedJob>: SourcedWork {
  package typealias Key = J.Key

  package nonisolated let job: J
  package nonisolated var name: String { job.name }
  package nonisolated var source: DueSource { job.source }
  package nonisolated var isLeased: Bool { true }
  package nonisolated var ignoresClockStop: Bool { job.ignoresClockStop }
  package nonisolated var stopsAfterRestore: Bool { job.stopsAfterRestore }

  /// The earliest instant of a free item, or of a lease that should have been returned.
  package nonisolated let nextDue: String
  package nonisolated let planned: String

  private typealias Leased = LeaseTransactions<J>.Leased
  private typealias Failed = LeaseTransactions<J>.Failed
  private typealias Claim = LeaseTransactions<J>.Claim

  private let context: JobContext
  private let transactions: LeaseTransactions<J>
  private var watch: LeaseWatch
  private var isClaiming = false
  /// By generation.
  private var calls: [Int64: Task<TimedCall<J.Reply>, Never>] = [:]
  private var running: [Int64: Task<Void, Never>] = [:]
  /// Calls that did not end with their time, by generation.
  private var unended: Set<Int64> = []
  /// The peer's last failure that concerns every item, until it is reported; and whether no call has succeeded since.
  private var failure: (any Error)?
  private var isPeerTroubled = false
  /// Items that were not ready, or that met an error of the peer, come after all others.
  private var batches: Batches<J.Key>
  private var isEnding = false
  private var poll: @Sendable () -> Void = {}
  private var rooms: [CheckedContinuation<Void, Never>] = []

  package init(_ job: J, in context: JobContext) {
    self.job = job
    self.context = context
    transactions = LeaseTransactions(job: job, context: context)
    watch = LeaseWatch(length: job.limits.lease)
    let overdue = LeaseStatements.nextOverdue(job: job.name, after: job.limits.call + .seconds(1))
    nextDue = "SELECT least((\(job.source.nextDue(job: job.name, leased: true))), (\(overdue)))"
    planned = job.source.planned(job: job.name, leased: true)
    var rules = Batches<J.Key>.Rules(largest: job.limits.callsMax)
    (rules.endsShort, rules.waitsForLocked, rules.countsDoubtful) = (true, false, false)
    batches = Batches(job.name, rules)
  }

  package func onCompletion(_ poll: @escaping @Sendable () -> Void) {
    self.poll = poll
  }

  /// Leases also show which items a process was working on when it ended.
  package func recoverFromCrash() {}

  /// While the peer refuses every call there is one place. A finished call frees its place, even if the rows of its
  /// reply are locked; this is limited.
  private var free: Int {
    let called = running.count - writing
    let places = min(job.limits.callsMax - called - unended.count, job.limits.callsMax * 4 - running.count)
    return isPeerTroubled ? min(places, 1 - called) : places
  }

  /// How many replies are being written.
  private var writing = 0

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    guard !isClaiming else { return outcome }
    isClaiming = true
    defer { isClaiming = false }
    if let failure {
      self.failure = nil
      outcome.interruption = failure
    } else {
      outcome = await claimDue(until: stopFlag, due: due)
      let isIdle = outcome.items == 0 && outcome.interruption == nil && outcome.retryIn == nil
      if isIdle, !watch.isEmpty { outcome.retryIn = .seconds(1) }
    }
    outcome.isFull = free <= 0
    outcome.isInconclusive = isPeerTroubled
    return outcome
  }

  package func room() async {
    while free <= 0, !isEnding { await withCheckedContinuation { rooms.append($0) } }
  }

  /// Waits for the running calls; when the caller's deadline passes they are cancelled, and their results are written.
  package func finish() async {
    isEnding = true
    openRoom()
    defer { isEnding = false }
    while !running.isEmpty {
      let (tasks, calls) = (Array(running.values), Array(calls.values))
      await withTaskCancellationHandler {
        for task in tasks { await task.value }
      } onCancel: {
        for call in calls { call.cancel() }
      }
    }
  }

  /// Claims due items, as many as may be called, and revokes lost leases.
  private func claimDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var standing: [(Int64, String)]?
    var wait: Duration?
    var due: Duration? = due
    batches.begin()
    while true {
      let step = batches.next(now: context.time.now(), isStopped: stopFlag.isRequested, room: free)
      let tried = Claimed<J.Key>()
      do {
        switch step {
        case .batch(let limit, _):
          let claim = try await claim(LockRequest(limit: limit, except: batches.leftOut, leased: true), tried, due: due)
          (standing, wait, due) = (claim.standing, claim.wait ?? wait, nil)
        case .alone(let key): wait = try await claim(LockRequest(limit: 1, only: key), tried, due: nil).wait ?? wait
        case .record(let key, let error, _):
          for item in try await record(error, of: key) { report(item) }
          batches.recorded(now: context.time.now())
        case .end(var outcome):
          outcome.retryIn = wait
          return await takeAwayLost(of: standing, outcome)
        case .findSuspects, .findLeft: preconditionFailure("a lease names the node working on an item")
        }
      } catch {
        batches.failed(error, claimed: tried.keys, now: context.time.now())
      }
      for news in batches.takeNews() { context.observe(news) }
    }
  }

  /// Leases items, and starts their calls.
  private func claim(_ request: LockRequest<J.Key>, _ tried: Claimed<J.Key>, due: Duration?) async throws -> Claim {
    let takenAt = context.time.boot()
    let claim = try await context.pool.transaction { [transactions] in
      try await transactions.claim(request, tried, takenAt: takenAt, $0)
    }
    for (index, item) in claim.items.enumerated() { start(item, due: index == 0 ? due : nil) }
    batches.done(claim.items.map(\.item), notReady: claim.leftOut, now: context.time.now())
    return claim
  }

  private func record(_ error: any Error, of key: J.Key) async throws -> [Failed] {
    try await context.pool.transaction { [transactions] in
      try await transactions.record(FailureText(error), of: [key.description], $0)
    }
  }

  /// The outcome of a run, with the revoked leases. The calls of the claimed items are running even if the revocation
  /// fails.
  private func takeAwayLost(of standing: [(Int64, String)]?, _ claimed: RunOutcome) async -> RunOutcome {
    var outcome = claimed
    do {
      outcome.items += try await takeAwayLost(of: standing)
    } catch {
      outcome.interruption = outcome.interruption ?? error
    }
    return outcome
  }

  /// Revokes lost leases; returns how many. Leases that this run holds without a call are returned.
  private func takeAwayLost(of standing: [(Int64, String)]?) async throws -> Int {
    guard let standing else { return 0 }
    let others = standing.filter { running[$0.0] == nil && !unended.contains($0.0) }
    let mine = others.filter { $0.1 == context.run }.map(\.0)
    let lost = watch.observe(others.filter { $0.1 != context.run }.map(\.0), at: context.time.boot())
    guard !lost.isEmpty || !mine.isEmpty else { return 0 }
    let abandoned = try await context.pool.transaction { [transactions] in
      try await transactions.takeAway(lost, giveBack: mine, $0)
    }
    for failed in abandoned { report(failed) }
    return abandoned.count + mine.count
  }

  private func report(_ failed: Failed) {
    context.observe(
      .itemFailed(
        job: name, key: failed.key, attempts: Int(failed.attempts), quarantined: failed.isQuarantined,
        error: failed.error))
  }

  private func start(_ item: Leased, due: Duration?) {
    observeCalls(running.count + 1)
    running[item.generation] = Task {
      await carryOut(item, due: due)
      running[item.generation] = nil
      observeCalls(running.count)
      openRoom()
      poll()
    }
  }

  private func observeCalls(_ count: Int) { context.observe(.calls(job: name, count: count)) }

  private func openRoom() {
    guard free > 0 || isEnding else { return }
    for room in rooms { room.resume() }
    rooms = []
  }

  private func carryOut(_ item: Leased, due: Duration?) async {
    let began = context.time.now()
    // A node that slept since it took the lease must not call: the lease might end before the call does.
    guard context.time.boot() - item.takenAt < job.limits.lease - job.limits.call else {
      await write(nil, of: item)
      return
    }
    let call = Task { [job, context] in
      await TimedCall(atMost: job.limits.call, time: context.time) {
        try await job.call(item.input, under: item.generation)
      }
    }
    calls[item.generation] = call
    let ended = await call.value
    calls[item.generation] = nil
    if let rest = ended.unended { awaitLate(rest, of: item) }
    writing += 1
    openRoom()
    let isWritten = await write(ended.result, of: item, givesBack: ended.unended == nil)
    writing -= 1
    guard isWritten, case .success = ended.result else { return }
    let now = context.time.now()
    context.observe(.batch(job: name, items: 1, elapsed: now - began, lateness: due.map { now - $0 }))
  }

  /// A call that does not end when it is cancelled keeps its place and its lease: it may still succeed.
  private func awaitLate(_ rest: Task<J.Reply, any Error>, of item: Leased) {
    unended.insert(item.generation)
    Task {
      let result = await rest.result
      if case .success = result { await write(result, of: item) } else { await write(nil, of: item) }
      unended.remove(item.generation)
      openRoom()
      poll()
    }
  }

  /// Writes the result of a call; nil: nothing, or nothing more. A reply that the database refuses is a failure of its
  /// item. False where the result itself is not written.
  @discardableResult
  private func write(
    _ result: Result<J.Reply, any Error>?, of item: Leased, givesBack: Bool = true
  ) async -> Bool {
    let written = await untilWritten(item) { [transactions] in
      try await transactions.write(result, of: item, givesBack: givesBack, $0)
    }
    if case .success = result {
      let isWritten = if case .success = written { true } else { false }
      await job.ended(item.input, under: item.generation, isWritten: isWritten)
    }
    switch written {
    case .success(let failed):
      if let result { notePeer(result, item) }
      if let failed { report(failed) }
      return true
    case .failure(let refusal):
      guard case .success = result else {
        context.observe(.contention(job: name, error: refusal))
        return false
      }
      context.observe(.warning(job: name, key: item.key, text: "a reply could not be written: \(refusal)"))
      if ReplyFate(of: refusal) == .refused { await write(.failure(refusal), of: item, givesBack: givesBack) }
      return false
    }
  }

  private func notePeer(_ result: Result<J.Reply, any Error>, _ item: Leased) {
    if case .failure(let error) = result {
      if error is CancellationError { return }
      if job.concernsPeer(error) {
        failure = error
        isPeerTroubled = true
        batches.postpone(item.item)
        return
      }
    }
    failure = nil
    isPeerTroubled = false
  }

  /// Retries until the result is written, however long the database is unreachable or damaged; returns a permanent
  /// refusal.
  private func untilWritten<Value: Sendable>(
    _ item: Leased, _ body: @escaping @Sendable (Transaction) async throws -> Value
  ) async -> Result<Value, any Error> {
    let pauses = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
    var attempts = 0
    while true {
      do {
        return .success(try await context.pool.transaction { try await body($0) })
      } catch {
        switch ReplyFate(of: error) {
        case .refused: return .failure(error)
        case .untilClosed: if (error as? PostgresError)?.code == .closed { return .failure(error) }
        case .kept: break
        }
        attempts += 1
        context.observe(.contention(job: name, error: error))
        if attempts == 10 {
          context.observe(
            .warning(job: name, key: item.key, text: "the outcome of a call cannot be written yet: \(error)"))
        }
        try? await context.time.sleep(pauses.delay(afterAttempts: attempts, draw: context.time.draw()))
      }
    }
  }
}

/// The fate of a reply that could not be written.
package enum ReplyFate: String, Sendable {
  /// It is retried until it is written, because a lost reply may be lost forever.
  case kept
  /// The same, while the pool is open.
  case untilClosed = "until-closed"
  /// It can never be written: this is a failure of its item.
  case refused

  package init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .contention, .connection, .resource, .timeout, .installation: .kept
      case .caller: .untilClosed
      case .item: .refused
      }
  }

  package init(of error: any Error) {
    self.init(Verdict(of: error))
  }
}
