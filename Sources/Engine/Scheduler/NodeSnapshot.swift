package import Postgres

/// What a node saw at its last poll: what status, health and metrics show without asking the database again.
package struct NodeSnapshot: Sendable, Equatable {
  package struct Item: Sendable, Equatable {
    package let dueAt: Timestamp?
    /// How late it is: zero where it is not due.
    package let lateBy: Duration
    /// Whether something is due now, whether or not the job is paused or a clock is wrong.
    package let isDue: Bool
    package let isPaused: Bool
    package let failing: Int
    package let quarantined: Int
  }

  package let items: [String: Item]
  /// Business time.
  package let now: Timestamp
  /// How far the database's clock is ahead of this node's wall clock.
  package let skew: Duration
  package let verdict: ClockVerdict
  /// Whether any node holds the clock for wrong.
  package let isHeld: Bool
  /// The nodes that do.
  package let stoppedBy: [String]
  package let isDraining: Bool
  package let isSimulated: Bool
  /// What is known to be wrong until it is put right.
  package let problems: [String]
  /// The names of these, in the same order.
  package let problemNames: [String]

  init(_ scan: DueSnapshot, reading: ClockReading, verdict: ClockVerdict, isDraining: Bool) {
    items = scan.items.mapValues { item in
      Item(
        dueAt: item.dueAt, lateBy: item.lateBy, isDue: item.isDue, isPaused: item.isPaused, failing: Int(item.failing),
        quarantined: Int(item.quarantined))
    }
    now = scan.now
    skew = reading.skew
    self.verdict = verdict
    isHeld = scan.clocks.isHeld
    stoppedBy = scan.clocks.stops.filter(\.bindsAll).map(\.node)
    self.isDraining = isDraining
    isSimulated = scan.isSimulated
    let pairs = stride(from: 0, to: scan.problems.count - 1, by: 2).map { (scan.problems[$0], scan.problems[$0 + 1]) }
    problemNames = pairs.map(\.0)
    problems = pairs.map(\.1)
  }
}
