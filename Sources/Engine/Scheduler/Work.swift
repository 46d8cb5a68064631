package import Postgres

/// An instant at which something falls due.
package struct Upcoming: Sendable, Equatable {
  package let at: Timestamp
  /// Nil where several items share the instant.
  package let key: String?
  package let count: Int64
  /// The schedule that ticks; nil where a job has it to do.
  package let schedule: String?

  package init(at: Timestamp, key: String?, count: Int64, schedule: String? = nil) {
    self.at = at
    self.key = key
    self.count = count
    self.schedule = schedule
  }
}

/// What the scheduler runs: it knows when it is due and can work off what is.
package protocol Work: Sendable {
  var name: String { get }

  /// SQL of one value: the earliest business instant at which something is due, or null. Asked for at each poll.
  var nextDue: String { get }

  /// SQL of one value: the earliest business instant at which something is or, as far as is known, will be due, or null.
  ///
  /// What operators see, as in `upcoming`; nothing is claimed by it.
  var planned: String { get }

  /// The works that may have something to do when this one has done something: see `DrainOutcome.ready`.
  var successors: [String] { get }

  /// What this work follows falls due then, by the node's own time: said after each poll that sees it coming.
  ///
  /// `rank` is how many nodes come before this one: see `NodeOrder`.
  func prewarm(_ due: Duration, rank: Int) async

  /// Whether operators see it as a job.
  var isListed: Bool { get }

  /// Whether it goes on while the node drains and while a clock is wrong: what it has is then due at once.
  var isUnconditional: Bool { get }

  /// Whether it goes on while a clock is wrong; a drain or a pause stops it.
  var ignoresClockStop: Bool { get }

  /// Is handed what makes the node poll again: to be called when something ended that goes on beside the turns.
  func follow(_ poll: @escaping @Sendable () -> Void) async

  /// How many items are due now and free of failures, counted up to a thousand.
  func overdue(_ session: Connection) async throws -> Int64

  /// SQL of two numbers, done and in all; nil where there is no such count.
  var progress: String? { get }

  /// What comes next: instants with how many items, and the key of a single one; soonest first.
  func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming]

  /// Works off what is due, in batches, until nothing free is left or `stopFlag` says stop.
  ///
  /// `due` is the node's own time at which it fell due, for the measure of lateness.
  /// Never throws: an item's failure is recorded; what concerns the connection comes back as the outcome.
  func runDue(until stopFlag: StopFlag, due: Duration) async -> DrainOutcome

  /// Returns when there is room again, after a turn that was full.
  func room() async

  /// Forgets failures of items that are no longer there to be done: settled by a command, cancelled, or counted by a
  /// process that was killed while another one did the work.
  func pruneResolvedFailures(_ session: Connection) async throws

  /// The process before this one did not end cleanly: until no item is under suspicion, attempts are counted before
  /// their decisions, so that an item that kills the process is quarantined like any other.
  func beCareful() async

  /// Waits for what turns left running; the loop calls it at the end, when nothing is claimed any more.
  func finish() async
}

extension Work {
  package var planned: String { nextDue }

  package var successors: [String] { [] }

  package func room() async {}

  package var progress: String? { nil }

  package var isUnconditional: Bool { false }

  package var ignoresClockStop: Bool { false }

  package func follow(_ poll: @escaping @Sendable () -> Void) async {}

  package func prewarm(_ due: Duration, rank: Int) async {}

  package func finish() async {}
}

/// How a turn of work ended.
package struct DrainOutcome: Sendable {
  package var items: Int
  /// The successors that have something to do now.
  package var ready: Set<String> = []
  /// No more can be begun until something that goes on ends: see `Work.room`.
  package var isFull = false
  /// Whether it says nothing of an interruption before it: what was begun is to show whether that is over.
  package var isInconclusive = false
  /// Nothing more can be had for so long.
  package var retryIn: Duration?
  /// Set where the connection or the database failed: nothing was counted against an item.
  package var interruption: (any Error)?

  package init(items: Int, ready: Set<String> = [], interruption: (any Error)? = nil) {
    self.items = items
    self.ready = ready
    self.interruption = interruption
  }

  package mutating func add(_ part: DrainOutcome) {
    items += part.items
    ready.formUnion(part.ready)
  }
}
