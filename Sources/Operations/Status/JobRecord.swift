package import Postgres

/// What a node remembers of a job since it started.
package struct JobRecord: Sendable {
  package var lastRunAt: Timestamp?
  /// `ran`, or the error of the last batch.
  package var lastOutcome: String?
  var isDraining = false
  /// How many calls of a leased job go on.
  var calls = 0
  package var isRunning: Bool { isDraining || calls > 0 }
  package var items = 0
  package var batches = 0
  package var failures = 0
  package var busy: Duration = .zero
  package var longest: Duration = .zero
  /// From due to commit of the first batch of a turn.
  package var lateness = Histogram()

  package init() {}
}
