package import Postgres

/// Makes the calls of one leased job: several at once, each with a lease of its own.
///
/// Calls outlive the run that began them, so that a slow peer delays nothing else. How it fails: a node that ends or
/// hangs leaves its leases, which other nodes take away in time. A reply that cannot be written is kept and written
/// when the database is back. While the peer refuses everybody, one call at a time tries whether it still does.
package actor LeasedRunner<J: LeasedJob>: SourcedWork {
  package typealias Key = J.Key

  package nonisolated let job: J
  package nonisolated var name: String { job.name }
  package nonisolated var source: DueSource { job.source }
  package nonisolated var isLeased: Bool { true }
  package nonisolated var ignoresClockStop: Bool { job.ignoresClockStop }
  package nonisolated var stopsAfterRestore: Bool { job.stopsAfterRestore }

  /// The earliest instant of an item that is free, or of a lease that ought to have been given back.
  package nonisolated var nextDue: String {
    let overdue = LeaseStatements.nextOverdue(job: name, after: job.limits.call + .seconds(1))
    return "SELECT least((\(job.source.nextDue(job: name, leased: true))), (\(overdue)))"
  }

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
  /// Items that were not ready, or that met an error of the peer: they come after all others.
  private var setAside: Set<J.Key> = []
  private var isEnding = false
  private var poll: @Sendable () -> Void = {}
  private var rooms: [CheckedContinuation<Void, Never>] = []

  package init(_ job: J, in context: JobContext) {
    self.job = job
    self.context = context
    transactions = LeaseTransactions(job: job, context: context)
    watch = LeaseWatch(length: job.limits.lease)
  }

  package func onCompletion(_ poll: @escaping @Sendable () -> Void) {
    self.poll = poll
  }

  /// A lease tells as well which items a process had in its hands when it ended.
  package func recoverFromCrash() {}

  /// While the peer refuses everybody there is one place. A call that is over leaves its place, even where others hold
  /// the rows of its reply; there are limits to that.
  private var free: Int {
    let called = running.count - writing
    let places = min(job.limits.callsMax - called - unended.count, job.limits.callsMax * 4 - running.count)
    return isPeerTroubled ? min(places, 1 - called) : places
  }

  /// How many replies are being written.
  private var writing = 0

  /// So many items are set aside at most.
  private static var setAsideMax: Int { 1000 }

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    guard !isClaiming else { return outcome }
    isClaiming = true
    defer { isClaiming = false }
    do {
      if let failure {
        self.failure = nil
        throw failure
      }
      if !stopFlag.isRequested, free > 0 {
        let claim = try await claimReady(free, outcome: &outcome)
        for (index, item) in claim.items.enumerated() { start(item, due: index == 0 ? due : nil) }
        outcome.items += claim.items.count
        outcome.retryIn = claim.wait
        // The claimed items are under way by now, even if this statement fails.
        outcome.items += try await takeAwayLost(of: claim.standing)
      }
      if outcome.items == 0, outcome.retryIn == nil, !watch.isEmpty { outcome.retryIn = .seconds(1) }
    } catch {
      outcome.interruption = error
    }
    outcome.isFull = free <= 0
    outcome.isInconclusive = isPeerTroubled
    return outcome
  }

  package func room() async {
    while free <= 0, !isEnding { await withCheckedContinuation { rooms.append($0) } }
  }

  /// Waits for the calls under way; where the caller is out of patience they are
  /// ended, and what came of them is written.
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

  /// Claims what is due, as much as may be called; one by one where an item that cannot be prepared fails all.
  ///
  /// An attempt is counted only where the failure is surely the item's. Otherwise the next run leaves the item out, so
  /// that it does not keep the others waiting.
  private func claimReady(_ limit: Int, outcome: inout RunOutcome) async throws -> Claim {
    let tried = Claimed<J.Key>()
    do {
      return try await claimOthersFirst(limit, tried)
    } catch {
      guard !tried.keys.isEmpty, ItemFate(of: error) != .stops else { throw error }
      tried.note([], since: .zero)
      do {
        return try await claimOthersFirst(1, tried)
      } catch {
        guard let key = tried.keys.first else { throw error }
        switch ItemFate(of: error) {
        case .counts: break
        case .waits, .doubtful, .spared:
          setAside.insert(key)
          throw error
        case .stops: throw error
        }
        let failed = try await context.pool.transaction { [transactions] in
          try await transactions.record(FailureText(error), of: [key.description], $0)
        }
        for item in failed { report(item) }
        outcome.items += failed.count
        return Claim()
      }
    }
  }

  /// Items that are set aside come after all others.
  private func claimOthersFirst(_ limit: Int, _ tried: Claimed<J.Key>) async throws -> Claim {
    var claim = try await claim(limit, tried)
    if claim.items.isEmpty, claim.leftOut.isEmpty, !setAside.isEmpty {
      setAside = []
      claim = try await self.claim(limit, tried)
    }
    setAside.formUnion(claim.leftOut)
    if setAside.count > Self.setAsideMax { setAside = [] }
    return claim
  }

  private func claim(_ limit: Int, _ tried: Claimed<J.Key>) async throws -> Claim {
    let request = LockRequest(limit: limit, except: Array(setAside), leased: true)
    let takenAt = context.time.boot()
    return try await context.pool.transaction { [transactions] in
      try await transactions.claim(request, tried, takenAt: takenAt, $0)
    }
  }

  /// Takes away leases that were lost; returns how many. Those that this very run holds without a call are given back.
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
    // A node that slept since it took the lease may not call any more: the lease might end before the call does.
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

  /// A call that does not end when it is cancelled keeps its place and its lease: it may still do what it was to do.
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

  /// Writes what came of a call; nil: nothing, or nothing more. A reply that the database refuses is a failure of its
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
        setAside.insert(item.item)
        return
      }
    }
    failure = nil
    isPeerTroubled = false
  }

  /// Writes until it is written, however long the database is away or not as it should
  /// be; returns what it refuses for good.
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
            .warning(job: name, key: item.key, text: "what came of a call cannot be written yet: \(error)"))
        }
        try? await context.time.sleep(pauses.delay(afterAttempts: attempts, draw: context.time.draw()))
      }
    }
  }
}

/// What becomes of a reply that could not be written.
package enum ReplyFate: String, Sendable {
  /// It is tried again until it is written, because a reply that is lost may be lost for ever.
  case kept
  /// The same, as long as the pool is open.
  case untilClosed = "until-closed"
  /// It can never be written: that is a failure of its item.
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
