import Postgres
import Schedules

/// Makes the calls of one leased job: several at once, each with a lease of its own.
///
/// Calls outlive the turn that began them, so that a slow peer holds up nothing else. How it fails: a node that ends or hangs
/// leaves its leases, which other nodes take away in time. A reply that cannot be written is kept and written when the
/// database is back. While the peer refuses everybody, one call at a time tries whether it still does.
package actor LeasedRunner<J: LeasedJob>: SourcedWork {
  package typealias Key = J.Key

  package nonisolated let job: J
  package nonisolated var name: String { job.name }
  package nonisolated var source: DueSource { job.source }
  package nonisolated var isLeased: Bool { true }
  package nonisolated var ignoresClockStop: Bool { job.ignoresClockStop }

  /// The earliest instant of an item that is free, or of a lease that ought to have been given back.
  package nonisolated var nextDue: String {
    let overdue = LeaseStatements.nextOverdue(job: name, after: job.limits.call + .seconds(1))
    return "SELECT least((\(job.source.nextDue(job: name, leased: true))), (\(overdue)))"
  }

  private struct Leased: Sendable {
    let input: J.Input
    let key: String
    let generation: Int64
    /// The node's boot clock before the lease was taken.
    let takenAt: Duration
  }

  private struct Failed: Sendable {
    let key: String
    let attempts: Int64
    let isQuarantined: Bool
    let error: FailureText
  }

  private struct Claim {
    var items: [Leased] = []
    /// All generations that stood before.
    var standing: [Int64] = []
    var wait: Duration?
  }

  private let context: JobContext
  private var watch: LeaseWatch
  private var isClaiming = false
  /// By generation.
  private var calls: [Int64: Task<TimedCall<J.Reply>, Never>] = [:]
  private var running: [Int64: Task<Void, Never>] = [:]
  /// Calls that did not end with their time.
  private var unended = 0
  /// What the peer did to everybody, until it is told; and whether it has done nothing better since.
  private var trouble: (any Error)?
  private var isPeerTroubled = false
  private var poll: @Sendable () -> Void = {}
  private var rooms: [CheckedContinuation<Void, Never>] = []

  package init(_ job: J, in context: JobContext) {
    self.job = job
    self.context = context
    watch = LeaseWatch(length: job.limits.lease)
  }

  package func follow(_ poll: @escaping @Sendable () -> Void) {
    self.poll = poll
  }

  /// A lease tells as well which items a process had in its hands when it ended.
  package func beCareful() {}

  private var free: Int { job.limits.callsMax - running.count - unended }

  package func drain(until halt: Halt, due: Duration) async -> DrainOutcome {
    var outcome = DrainOutcome(items: 0)
    guard !isClaiming else { return outcome }
    isClaiming = true
    defer { isClaiming = false }
    do {
      if trouble == nil, !halt.isRequested, free > 0 {
        let claim = try await claim(isPeerTroubled ? 1 : free)
        for (index, item) in claim.items.enumerated() { start(item, due: index == 0 ? due : nil) }
        if isPeerTroubled, let probe = claim.items.first { await running[probe.generation]?.value }
        outcome.items = claim.items.count
        outcome.retryIn = claim.wait
        // What was claimed is under way by now, whatever becomes of this.
        outcome.items += try await takeAwayLost(of: claim.standing)
      }
      if let trouble {
        self.trouble = nil
        throw trouble
      }
      if outcome.items == 0, outcome.retryIn == nil, !watch.isEmpty { outcome.retryIn = .seconds(1) }
    } catch {
      outcome.interruption = error
    }
    outcome.isFull = free <= 0
    return outcome
  }

  package func room() async {
    while free <= 0 { await withCheckedContinuation { rooms.append($0) } }
  }

  /// Waits for the calls under way; where the caller is out of patience they are ended, and what came of them is written.
  package func finish() async {
    while !running.isEmpty {
      let (tasks, calls) = (Array(running.values), Array(calls.values))
      await withTaskCancellationHandler {
        for task in tasks { await task.value }
      } onCancel: {
        for call in calls { call.cancel() }
      }
    }
  }

  /// Claims what is due, as much as may be called.
  private func claim(_ limit: Int) async throws -> Claim {
    let takenAt = context.time.boot()
    return try await context.pool.transaction { [job, context] transaction in
      try await Self.claim(limit, job, context, takenAt: takenAt, transaction)
    }
  }

  /// Takes away leases that were lost; yields how many.
  private func takeAwayLost(of standing: [Int64]) async throws -> Int {
    let lost = watch.observe(standing.filter { running[$0] == nil }, at: context.time.boot())
    guard !lost.isEmpty else { return 0 }
    let abandoned = try await context.pool.transaction { [job, context] transaction in
      try await Self.takeAway(lost, job, context, transaction)
    }
    for failed in abandoned { tell(failed) }
    return abandoned.count
  }

  private static func claim(
    _ limit: Int, _ job: J, _ context: JobContext, takenAt: Duration, _ transaction: Transaction
  ) async throws -> Claim {
    // 1. The rows of due items are locked as long as they are leased.
    let request = LockRequest<J.Key>(limit: limit, leased: true)
    let replies = try await transaction.pipeline([
      "SET LOCAL lock_timeout = \(raw: JobContext.setting(context.lockWait))",
      job.source.lock(request, job: job.name),
      Gate.entry(job.name, ignoresClockStop: job.ignoresClockStop), LeaseStatements.generations(job: job.name),
    ])
    guard let now = try context.gate.admit(replies[2], ignoresClockStop: job.ignoresClockStop) else {
      return Claim()
    }
    var claim = Claim(standing: try replies[3].decode(Int64.self))
    let keys = try J.Key.decode(replies[1])
    guard !keys.isEmpty else { return claim }
    // 2. Another node may have leased some of them since the statement began.
    let taken = try await transaction.query(
      LeaseStatements.take(job: job.name, keys: keys.map(\.description), owner: context.run)
    ).decode(String.self, Int64.self)
    let generations = Dictionary(uniqueKeysWithValues: taken)
    // 3. Only what is still due, and what the budget allows, is called.
    let inputs = try await job.prepare(keys.filter { generations[$0.description] != nil }, at: now, in: transaction)
    var granted = inputs.count
    if let budget = job.budget, !inputs.isEmpty {
      let (allowed, wait) = try await budget.take(inputs.count, in: transaction)
      if allowed < granted { claim.wait = wait }
      granted = allowed
    }
    claim.items = inputs.prefix(granted).compactMap { input in
      let key = job.key(of: input).description
      return generations[key].map { Leased(input: input, key: key, generation: $0, takenAt: takenAt) }
    }
    let called = Set(claim.items.map(\.generation))
    let rest = taken.map(\.1).filter { !called.contains($0) }
    if !rest.isEmpty { transaction.beforeCommit(LeaseStatements.giveBack(job: job.name, generations: rest)) }
    return claim
  }

  /// An item whose node ended or hung has failed once, so that one that ends every node is quarantined like any other.
  private static func takeAway(
    _ lost: [Int64], _ job: J, _ context: JobContext, _ transaction: Transaction
  ) async throws -> [Failed] {
    let keys = try await transaction.query(LeaseStatements.takeAway(job: job.name, generations: lost))
      .decode(String.self)
    guard !keys.isEmpty else { return [] }
    try await job.noteAbandoned(keys.compactMap(J.Key.init), in: transaction)
    let text = FailureText(text: "the node that worked on this item ended or hung")
    return try await record(text, of: keys, job, context, transaction)
  }

  private static func record(
    _ text: FailureText, of keys: [String], _ job: J, _ context: JobContext, _ transaction: Transaction
  ) async throws -> [Failed] {
    let keys = keys.sorted()
    let policy = job.retries.drawn(context.time.draw())
    let rows = try await transaction.query(
      FailureStatements.record(job: job.name, keys: keys, error: text, counted: false, policy: policy)
    ).decode(Int64.self, Bool.self)
    return zip(keys, rows).map { Failed(key: $0, attempts: $1.0, isQuarantined: $1.1, error: text) }
  }

  private func tell(_ failed: Failed) {
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
    guard free > 0 else { return }
    for room in rooms { room.resume() }
    rooms = []
  }

  private func carryOut(_ item: Leased, due: Duration?) async {
    let began = context.time.now()
    // A node that slept since it took the lease may not call any more: the lease might end before the call does.
    guard context.time.boot() - item.takenAt < job.limits.lease - job.limits.call else {
      return await write(nil, of: item)
    }
    let call = Task { [job, context] in
      await TimedCall(atMost: job.limits.call, time: context.time) { try await job.call(item.input) }
    }
    calls[item.generation] = call
    let ended = await call.value
    calls[item.generation] = nil
    if let rest = ended.unended { awaitLate(rest, of: item) }
    await write(ended.result, of: item, givesBack: ended.unended == nil)
    guard case .success = ended.result else { return }
    let now = context.time.now()
    context.observe(.batch(job: name, items: 1, elapsed: now - began, lateness: due.map { now - $0 }))
  }

  /// A call that does not end when it is cancelled keeps its place and its lease: it may still do what it was to do.
  private func awaitLate(_ rest: Task<J.Reply, any Error>, of item: Leased) {
    unended += 1
    Task {
      let result = await rest.result
      if case .success = result { await write(result, of: item) } else { await write(nil, of: item) }
      unended -= 1
      openRoom()
      poll()
    }
  }

  /// Writes what came of a call; nil: nothing, or nothing more. A reply that the database refuses is a failure of its item.
  private func write(_ result: Result<J.Reply, any Error>?, of item: Leased, givesBack: Bool = true) async {
    let written = await untilWritten { [job, context] transaction in
      if givesBack {
        transaction.beforeCommit(LeaseStatements.giveBack(job: job.name, generations: [item.generation]))
      }
      return try await Self.write(result, of: item, job, context, transaction)
    }
    switch (written, result) {
    case (.success(let failed), _):
      if let result { notePeer(result) }
      if let failed { tell(failed) }
    case (.failure(let refusal), .success): await write(.failure(refusal), of: item, givesBack: givesBack)
    case (.failure(let refusal), _): context.observe(.contention(job: name, error: refusal))
    }
  }

  private static func write(
    _ result: Result<J.Reply, any Error>?, of item: Leased, _ job: J, _ context: JobContext, _ transaction: Transaction
  ) async throws -> Failed? {
    let replies = try await transaction.pipeline([
      LeaseStatements.hold(job: job.name, generation: item.generation, key: item.key), "SELECT settled.clock()",
    ])
    let now = try replies[1].one(Timestamp.self)
    let isLost = replies[0].isEmpty
    switch result {
    case .success(let reply) where isLost: try await job.applyLate(reply, to: item.input, at: now, in: transaction)
    case .success(let reply):
      try await job.apply(reply, to: item.input, at: now, in: transaction)
      transaction.beforeCommit(FailureStatements.clear(job: job.name, keys: [item.key]))
    case .failure where isLost, nil: break
    case .failure(let error):
      try await job.noteFailure(error, of: item.input, at: now, in: transaction)
      guard !(error is CancellationError), !job.concernsPeer(error) else { return nil }
      return try await record(FailureText(error), of: [item.key], job, context, transaction).first
    }
    return nil
  }

  private func notePeer(_ result: Result<J.Reply, any Error>) {
    if case .failure(let error) = result {
      if error is CancellationError { return }
      if job.concernsPeer(error) {
        trouble = error
        isPeerTroubled = true
        return
      }
    }
    trouble = nil
    isPeerTroubled = false
  }

  /// Writes until it is written, also when the database is away for long; yields what it refuses for good.
  private func untilWritten<Value: Sendable>(
    _ body: @escaping @Sendable (Transaction) async throws -> Value
  ) async -> Result<Value, any Error> {
    let pauses = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
    var attempts = 0
    while true {
      do {
        return .success(try await context.pool.transaction { try await body($0) })
      } catch {
        guard let error = error as? PostgresError, error.code != .closed,
          error.isConnectionProblem || error.isContention || error.isResource || error.code == .poolExhausted
        else { return .failure(error) }
        attempts += 1
        if attempts == 1 { context.observe(.contention(job: name, error: error)) }
        try? await context.time.sleep(pauses.delay(afterAttempts: attempts, draw: context.time.draw()))
      }
    }
  }
}
