package import Postgres

extension DatabaseModel {
  /// A statement of the engine, or of those who write what falls due.
  ///
  /// The engine's transactions are these, each in a session of its own that `connect` gives. A node keeps one for its
  /// polls and one that listens, and takes its name with the latter.
  ///
  /// | the engine | statements |
  /// |---|---|
  /// | a poll, a heartbeat | `poll` or `beat` alone: each commits at once |
  /// | a mark | `setNeedsNotify`, then `transactionID` |
  /// | a name | `begin`, `lockTimeout`, `addNode`, `lockNode`, `takeName`, `commit`; then `listen` |
  /// | a batch | `begin`, `lockTimeout`, `claim`, `gate`, what the job writes, `clearFailures`, `commit` |
  /// | a batch after a crash | the same, and `recordFailure` by another session before the job decides |
  /// | an item's failure | `recordFailure` alone |
  /// | a claim with leases | `begin`, `lockTimeout`, `claim`, `gate`, `leases`, `takeLeases`, `commit` |
  /// | a reply | `begin`, `lockTimeout`, `lockLease`, what the job writes, `giveBack`, `clearFailures`, `commit` |
  /// | a lost lease | `begin`, `takeAway`, `recordFailure`, `commit` |
  /// | an operator's pause | `begin`, `pause`, `notify("")`, `commit` |
  /// | the end or the lifting of a clock stop | `begin`, `releaseClock` or `liftClockStop`, `notify("")`, `commit` |
  /// | an app | `begin`, `schedule`, what else it writes, `commit` |
  package enum Statement: Sendable {
    // Reads.
    case poll([PolledJob])
    /// Whether a job may claim: asked in the transaction of the claim, after its locks.
    case gate(job: String, ignoresClockStop: Bool = false)
    case suspects(job: String)
    /// In what time the next item falls due that is not due yet.
    case untilNext(job: String)
    /// The leases of a job that stand.
    case leases(job: String)

    // Items.
    case claim(Claim)
    /// The items are done.
    case finish(job: String, keys: [Int64])
    /// An item falls due then: a writer's statement, which wakes the nodes.
    case schedule(job: String, key: Int64, dueAt: Timestamp)
    case remove(job: String, key: Int64)
    /// Locks in the order of the keys.
    case lockResources([Int64])
    case add(Int64, resource: Int64)

    // Failures.
    case recordFailure(job: String, keys: [Int64], counted: Bool = false, RetryPauses)
    case uncountFailures(job: String, keys: [Int64], RetryPauses)
    case clearFailures(job: String, keys: [Int64])
    case recordDelay(job: String, key: Int64)
    /// The next attempt may be made now.
    case endBackoff(job: String, key: Int64)

    // Leases.
    case takeLeases(job: String, keys: [Int64], owner: String)
    case lockLease(job: String, key: Int64, generation: UInt64)
    case giveBack(job: String, generations: Set<UInt64>)
    case takeAway(job: String, generations: Set<UInt64>)

    // Nodes. A name is taken in one transaction: `addNode`, `lockNode`, `takeName`.
    case addNode(String)
    case lockNode(String)
    /// The session gets the name where nobody has it, where `last` has it, or where its holder has ended.
    case takeName(String, last: SessionID?)
    case register(String)
    case beat(String, state: String, needsNotify: Bool)
    case setNeedsNotify(String, Bool)
    case stopNode(String)

    // Gates.
    case pause(job: String, Bool)
    /// A lifted stop binds all again where the difference has changed by more than `jump`.
    case stopClock(node: String, difference: Duration, jump: Duration)
    case liftClockStop(node: String)
    case releaseClock(node: String)
    case acceptClockStops
    case stopJobs(node: String, Set<String>)
    case acceptRestoration
    case setClock(Timestamp)

    // Sessions.
    case listen
    case notify(String)
    /// Of the open transaction; nil: it waits for ever.
    case lockTimeout(Duration?)
    /// Gives the transaction its id.
    case transactionID
  }

  /// A job in a poll.
  package struct PolledJob: Hashable, Sendable {
    package let name: String
    /// Of a leased job: after what time a lease ought to have been given back.
    package let leaseOverdue: Duration?

    package init(_ name: String, leaseOverdue: Duration? = nil) {
      self.name = name
      self.leaseOverdue = leaseOverdue
    }
  }

  /// The due items that a job claims, and how: as `LockRequest`.
  package struct Claim: Hashable, Sendable {
    package enum Mode: Hashable, Sendable { case skipLocked, wait, peek }

    package var job: String
    package var limit: Int
    package var mode = Mode.skipLocked
    package var only: Int64?
    package var except: Set<Int64> = []
    package var among: Set<Int64>?
    package var isLeased = false

    package init(_ job: String, limit: Int, mode: Mode = .skipLocked, only: Int64? = nil, isLeased: Bool = false) {
      self.job = job
      self.limit = limit
      self.mode = mode
      self.only = only
      self.isLeased = isLeased
    }
  }

  /// The pauses after an item's attempts, and how many there are before it is quarantined.
  package struct RetryPauses: Hashable, Sendable {
    package let pauses: [Duration]
    package let attemptsMax: Int64

    package init(_ pauses: [Duration], attemptsMax: Int64) {
      precondition(!pauses.isEmpty, "there is a pause after the first attempt")
      self.pauses = pauses
      self.attemptsMax = attemptsMax
    }
  }
}

/// The answer to a statement.
package enum Answer: Hashable, Sendable {
  /// The rows that it locked or wrote, as it left them; those that it deleted, as they were.
  case rows([Row])
  /// Whether a job may claim, a name was taken, or a node's last run was not stopped cleanly.
  case flag(Bool)
  /// A time span; nil if there is none.
  case wait(Duration?)
  /// Of the transaction.
  case id(UInt64)
  case poll(Poll)

  package struct Row: Hashable, Sendable {
    package let id: RowID
    package let content: Content
  }

  package var rows: [Row] { if case .rows(let rows) = self { rows } else { [] } }
  package var keys: [Int64] { rows.map(\.id.key) }
}

/// What a poll finds, as `DueSnapshot` has it.
package struct Poll: Hashable, Sendable {
  package struct Job: Hashable, Sendable {
    /// Business time: the first instant at which something free is due.
    package var dueAt: Timestamp?
    /// Business time: the second such instant, or the first if there is no other; nil for a leased job.
    package var followingAt: Timestamp?
    /// Real time: the first end of a back-off.
    package var retryAt: Timestamp?
    package var failing: Int64 = 0
    package var quarantined: Int64 = 0
    package var isPaused = false
    package var awaitsAcceptance = false
  }

  package var jobs: [String: Job] = [:]
  package let oldest: UInt64
  package let next: UInt64
  package let now: Timestamp
  package let real: Timestamp
  package let clockStops: [String: Content.ClockStop]
  /// The nodes that are ready, whose sessions live and that were seen within 90 s, in order.
  package let nodes: [String]
  package let leavesWakeUpsOut: Bool

  /// In what time something is due: zero or less: now.
  package func dueIn(_ job: String) -> Duration? {
    guard let job = jobs[job] else { return nil }
    return [job.dueAt?.since(now), job.retryAt?.since(real)].compactMap(\.self).min()
  }
}
