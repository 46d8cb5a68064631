package import Engine
import Scheduling
package import Postgres
import Synchronization

/// The node's memory of its observations. Status, health and metrics answer from it, also while the database is
/// unreachable.
package final class NodeMonitor: Sendable {
  package struct State: Sendable {
    package var snapshot: NodeSnapshot?
    package var polledAt: Duration?
    package var jobs: [String: JobRecord] = [:]
    /// Why the database is unreachable; nil while it is reachable.
    package var databaseError: String?
    /// The code of that error, for callers that may not see more.
    package var databaseErrorCode: String?
    /// By the host's clock.
    package var databaseAwaySince: Timestamp?
    package var isSchemaChecked = false
    package var isListening = false
    /// Whether a proxy pools transactions, so that no notification can arrive.
    package var poolsTransactions = false
    /// The daemon that has the node's name while this one waits for it.
    package var nameHolder: String?
    package var isNameShared = false
    package var startedAt: Timestamp?
    package var databaseLosses = 0
    package var iterations = 0
    package var isDraining = false
    /// Interrupted work, and the reason.
    package var interrupted: [String: String] = [:]
    /// Sockets that are served, but not reachable.
    package var lostSockets: [String] = []
  }

  private let state = Mutex(State())
  private let time: Timekeeper

  package init(time: Timekeeper, poolsTransactions: Bool = false) {
    self.time = time
    state.withLock { state in
      state.startedAt = time.wall()
      state.poolsTransactions = poolsTransactions
    }
  }

  package var current: State { state.withLock { $0 } }

  /// Draining is visible immediately, not only at the next poll.
  func setDraining(_ draining: Bool) {
    state.withLock { $0.isDraining = draining }
  }

  /// Records sockets whose files are gone; true if that is new.
  package func noteLostSockets(_ paths: [String]) -> Bool {
    state.withLock { state in
      defer { state.lostSockets = paths }
      return state.lostSockets != paths
    }
  }

  /// Records an observation.
  package func note(_ observation: Observation) {
    let (now, host) = (time.now(), time.wall())
    state.withLock { state in
      // By the same clock as everything else that is shown.
      let wall = state.snapshot.flatMap { $0.isSimulated ? $0.now : nil } ?? host
      switch observation {
      case .started: state.isSchemaChecked = true
      case .listening: state.isListening = true
      case .listenLost: state.isListening = false
      case .nameAwaited(let holder): state.nameHolder = holder
      case .nameShared(let isShared): state.isNameShared = isShared
      case .databaseAway(let error):
        if state.databaseError == nil { state.databaseAwaySince = host }
        state.databaseError = String(describing: error)
        state.databaseErrorCode = (error as? PostgresError).map { $0.sqlState ?? $0.code.rawValue }
        state.databaseLosses += 1
      case .databaseBack: state.databaseError = nil
      case .polled(let snapshot):
        state.databaseError = nil
        state.snapshot = snapshot
        state.polledAt = now
        state.iterations += 1
      case .jobStarted(let job): state.jobs[job, default: JobRecord()].isRunningBatch = true
      case .jobEnded(let job): state.jobs[job, default: JobRecord()].isRunningBatch = false
      case .calls(let job, let count): state.jobs[job, default: JobRecord()].calls = count
      case .batch(let job, let items, let elapsed, let lateness):
        state.jobs[job, default: JobRecord()].note(items: items, elapsed: elapsed, lateness: lateness, at: wall)
      case .ran(let job, let items, let elapsed):
        guard items > 0 else { break }
        state.jobs[job, default: JobRecord()].note(items: items, elapsed: elapsed, lateness: nil, at: wall)
      case .itemFailed(let job, let key, _, _, let error):
        state.jobs[job, default: JobRecord()].failures += 1
        state.jobs[job, default: JobRecord()].lastRunAt = wall
        state.jobs[job, default: JobRecord()].lastOutcome = "failed: \(key): \(error.text)"
      case .runFailed: state.jobs[ScheduleRunner.name, default: JobRecord()].failures += 1
      case .interrupted(let job, let error):
        state.interrupted[job] = String(describing: error)
        state.jobs[job, default: JobRecord()].lastOutcome = "interrupted: \(FailureText(error).text)"
      case .resumed(let job): state.interrupted[job] = nil
      case .iteration, .batchSplit, .itemDelayed, .warning, .recorded, .contention, .asleep, .stopped, .clockJumped,
        .databaseRestored, .timelineChanged, .clockAgrees, .clockOutvoted, .clockStopLifted, .hostClockOff,
        .hostClockAgrees:
        break
      }
    }
  }
}

extension JobRecord {
  fileprivate mutating func note(items count: Int, elapsed: Duration, lateness late: Duration?, at wall: Timestamp) {
    lastRunAt = wall
    lastOutcome = "ran"
    items += count
    batches += 1
    busy += elapsed
    longest = max(longest, elapsed)
    if let late { lateness.observe(late) }
  }
}
