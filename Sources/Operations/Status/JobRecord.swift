package import Postgres

/// A node's memory of a job since the node started.
package struct JobRecord: Sendable {
  package var lastRunAt: Timestamp?
  /// `ran`, or the error of the last batch.
  package var lastOutcome: String?
  var isRunningBatch = false
  /// How many calls of a leased job are running.
  var calls = 0
  package var isRunning: Bool { isRunningBatch || calls > 0 }
  package var items = 0
  package var batches = 0
  package var failures = 0
  package var busy: Duration = .zero
  package var longest: Duration = .zero
  /// From due to commit of the first batch of a run.
  package var lateness = Histogram()

  package init() {}
}
