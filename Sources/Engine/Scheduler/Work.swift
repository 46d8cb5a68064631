package import Postgres

/// An instant at which something falls due.
package struct Upcoming: Sendable, Equatable {
  package let at: Timestamp
  /// Nil if several items share the instant.
  package let key: String?
  package let count: Int64
  /// The schedule that ticks; nil for a job.
  package let schedule: String?

  package init(at: Timestamp, key: String?, count: Int64, schedule: String? = nil) {
    self.at = at
    self.key = key
    self.count = count
    self.schedule = schedule
  }
}

/// Work that falls due later; instants are in the node's own time.
package struct ComingWork: Sendable, Equatable {
  package let work: String
  package let due: Duration
  /// When that is by the server's clock; nil where the business clock is another one.
  package let serverDue: Timestamp?
  /// When the item after the first falls due; nil: unknown, or other nodes come before this one.
  package let following: Duration?
  /// How many nodes come before this one: see `NodeOrder`.
  package let rank: Int

  package init(
    _ work: String, due: Duration, serverDue: Timestamp? = nil, following: Duration? = nil, rank: Int = 0
  ) {
    (self.work, self.due, self.serverDue, self.following, self.rank) = (work, due, serverDue, following, rank)
  }
}

/// A kind of work that the scheduler runs: it defines when it is due, and processes due items.
package protocol Work: Sendable {
  var name: String { get }

  /// SQL of one value: the earliest business instant at which something is due, or null. Read at each poll.
  var nextDue: String { get }

  /// SQL of one value: when the second item falls due, or null; nil: none is needed. See `announce`.
  var followingDue: String? { get }

  /// SQL of one value: the earliest business instant at which something is or, as
  /// far as is known, will be due, or null.
  ///
  /// Operators see it, as in `upcoming`; claims do not use it.
  var planned: String { get }

  /// The works that may become due when this one has finished items: see `RunOutcome.ready`.
  var successors: [String] { get }

  /// How long before a known instant it starts: the server waits for the instant. It starts at the instant while the
  /// business clock is not the server's.
  var lead: Duration { get }

  /// Announces when this work, or `work` that it follows, falls due; called after each poll of it.
  func announce(_ coming: ComingWork) async

  /// Whether operators see it as a job.
  var isListed: Bool { get }

  /// Whether it continues while the node drains and while a clock is wrong: its items are then due immediately.
  var isUnconditional: Bool { get }

  /// Whether it continues while a clock is wrong; a drain or a pause stops it.
  var ignoresClockStop: Bool { get }

  /// Whether it stops after a restore of the database, until an operator accepts it: see `RestoreGuard`.
  var stopsAfterRestore: Bool { get }

  /// Receives a function that makes the node poll again. It is called when something that runs in parallel with the
  /// batches ends.
  func onCompletion(_ poll: @escaping @Sendable () -> Void) async

  /// How many items are due now and free of failures, counted up to a thousand.
  func overdue(_ session: Connection) async throws -> Int64

  /// Whether it observes its own batches; otherwise each run that finished items counts as one.
  var observesBatches: Bool { get }

  /// SQL of two numbers, done and in all; nil if there is no such count.
  var progress: String? { get }

  /// The next due instants, soonest first, each with its number of items and the key of a single one.
  func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming]

  /// Processes due items in batches until none is free or `stopFlag` is set.
  ///
  /// `due` is the node's own time at which it fell due, or will fall due within `lead`. Never throws: the failure of an
  /// item is recorded; a connection error is part of the outcome.
  func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome

  /// Returns when there is room again, after a run that was full.
  func room() async

  /// Deletes failures of items that are no longer due: settled by a command, cancelled, or counted by a killed process
  /// whose work another one did.
  func pruneResolvedFailures(_ session: Connection) async throws

  /// The previous process did not end cleanly: until no item is suspected, attempts are counted before their decisions,
  /// so that an item that kills the process is quarantined like any other.
  func recoverFromCrash() async

  /// Waits for everything that is still running; the loop calls it at the end, after the last claim.
  func finish() async
}

extension Work {
  package var planned: String { nextDue }

  /// Processes due items and observes the run, including its items if the work does not observe them.
  func observedRun(
    until stopFlag: StopFlag, due: Duration, time: Timekeeper, _ observe: @Sendable (Observation) -> Void
  ) async -> RunOutcome {
    observe(.jobStarted(job: name))
    let began = max(time.now(), due)
    let outcome = await runDue(until: stopFlag, due: due)
    let elapsed = max(.zero, time.now() - began)
    if !observesBatches { observe(.ran(job: name, items: outcome.items, elapsed: elapsed)) }
    observe(.jobEnded(job: name))
    return outcome
  }

  package var successors: [String] { [] }

  package var lead: Duration { .zero }

  package func room() async {}

  package var observesBatches: Bool { false }

  package var progress: String? { nil }

  package var isUnconditional: Bool { false }

  package var ignoresClockStop: Bool { false }

  package var stopsAfterRestore: Bool { false }

  package func onCompletion(_ poll: @escaping @Sendable () -> Void) async {}

  package func announce(_ coming: ComingWork) async {}

  package var followingDue: String? { nil }

  package func finish() async {}
}

/// The outcome of one run of a work.
package struct RunOutcome: Sendable {
  package var items: Int
  /// The successors that are due now.
  package var ready: Set<String> = []
  /// No more can start until a running call ends: see `Work.room`.
  package var isFull = false
  /// Whether it proves nothing about an earlier interruption: the started calls will show whether that is over.
  package var isInconclusive = false
  /// Do not retry before this delay.
  package var retryIn: Duration?
  /// Set where the connection or the database failed: nothing was counted against an item.
  package var interruption: (any Error)?

  package init(items: Int, ready: Set<String> = [], interruption: (any Error)? = nil) {
    self.items = items
    self.ready = ready
    self.interruption = interruption
  }

  package mutating func add(_ part: RunOutcome) {
    items += part.items
    ready.formUnion(part.ready)
  }
}
