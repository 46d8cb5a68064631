/// What the scheduler runs: it knows when it is due and can work off what is.
package protocol Work: Sendable {
  var name: String { get }

  /// SQL of one value: the earliest business instant at which something is due, or null.
  var nextDue: String { get }

  /// Works off what is due, in batches, until nothing free is left or `halt` says stop.
  ///
  /// `due` is the node's own time at which it fell due, for the measure of lateness.
  /// Never throws: an item's failure is recorded; what concerns the connection comes back as the outcome.
  func drain(until halt: Halt, due: Duration) async -> DrainOutcome

  /// The process before this one did not end cleanly: until the backlog is done, work one by one and count each
  /// attempt before its decision, so that an item that kills the process is quarantined like any other.
  func beCareful() async
}

/// How a turn of work ended.
package struct DrainOutcome: Sendable {
  package var items: Int
  /// Set where the connection or the database failed: nothing was counted against an item.
  package var interruption: (any Error)?

  package init(items: Int, interruption: (any Error)? = nil) {
    self.items = items
    self.interruption = interruption
  }
}
