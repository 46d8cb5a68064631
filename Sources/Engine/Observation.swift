package import Postgres

/// Every event of the engine that may matter to an operator: one place turns each case into a journal entry, a metric,
/// or nothing; tests await them.
package enum Observation: Sendable {
  /// A node started: `afterCrash` after an unclean exit.
  case started(node: String, afterCrash: Bool)
  case listening
  case listenLost(PostgresError)
  /// The node's name belongs to this other daemon; nil when the wait is over.
  case nameAwaited(String?)
  /// Another daemon registered under this node's name, or no longer: read from its row, if the name cannot be locked.
  case nameShared(Bool)
  case databaseAway(any Error)
  case databaseBack
  /// The loop began an iteration: it is about to poll or to sleep, or an attempt to reach the database ended. The
  /// watchdog relies on it.
  case iteration
  /// One poll for due work.
  case polled(NodeSnapshot)
  /// The database's clock jumped by this much (forward is positive): nothing is settled.
  case clockJumped(Duration)
  case clockAgrees
  /// The same jump, but another node sees the clocks agree: only this node settles nothing.
  case clockOutvoted(Duration)
  /// This node sees the clocks agree: the stop of another node applies only to that node.
  case clockStopLifted(node: String)
  /// This node's own clock is off by this much (the database ahead is positive): it claims nothing.
  case hostClockOff(Duration)
  case hostClockAgrees
  /// The database is older than what this node remembers of it.
  case databaseRestored(finding: String, timeline: Int64)
  /// The database has another timeline, and everything that this node remembers.
  case timelineChanged(Int64)
  /// A batch was committed. `lateness`, of the first batch of a run: from its due instant to its commit.
  case batch(job: String, items: Int, elapsed: Duration, lateness: Duration?)
  /// A run of work without batch observations finished this many items.
  case ran(job: String, items: Int, elapsed: Duration)
  case jobStarted(job: String)
  case jobEnded(job: String)
  /// A batch failed as a whole and is tried item by item.
  case batchSplit(job: String, items: Int, error: any Error)
  case itemFailed(job: String, key: String, attempts: Int, quarantined: Bool, error: FailureText)
  /// The number of running calls of a leased job.
  case calls(job: String, count: Int)
  /// Due rows that another transaction had locked at each poll.
  case itemDelayed(job: String, key: String, by: [Int32])
  /// A job's warning to operators, after the commit.
  case warning(job: String, key: String, text: String)
  /// A run of a schedule failed permanently.
  case runFailed(schedule: String, instant: Timestamp, error: FailureText)
  /// An entry that belongs in the journal permanently, with its own text and fields.
  case recorded(text: String, fields: [String: String])
  case contention(job: String, error: any Error)
  /// Work was interrupted by something other than one of its items; reported once for each kind, and retried after
  /// growing pauses.
  case interrupted(job: String, error: any Error)
  case resumed(job: String)
  /// The node has nothing due and waits for a notification, the timer or the fallback poll.
  case asleep
  case stopped(node: String)
}
