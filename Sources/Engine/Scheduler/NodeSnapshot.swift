package import Postgres

/// The result of a node's last poll: status, health and metrics show it without asking the database again.
package struct NodeSnapshot: Sendable, Equatable {
  package struct Item: Sendable, Equatable {
    package let dueAt: Timestamp?
    /// How late it is: zero if it is not due.
    package let lateBy: Duration
    /// Whether something is due now, whether or not the job is paused or a clock is wrong.
    package let isDue: Bool
    package let isPaused: Bool
    /// Whether it is stopped until an operator accepts that the database was restored.
    package let awaitsAcceptance: Bool
    package let failing: Int
    package let quarantined: Int
  }

  package let items: [String: Item]
  /// Business time.
  package let now: Timestamp
  /// How far the database's clock is ahead of this node's wall clock.
  package let skew: Duration
  package let verdict: ClockVerdict
  /// Whether any node has stopped the clock.
  package let isClockStopped: Bool
  /// The nodes that have stopped it.
  package let stoppedBy: [String]
  package let isDraining: Bool
  package let isSimulated: Bool
  /// Whether the server's notification queue is half full, so that writers do not notify.
  package let leavesWakeUpsOut: Bool
  /// Whether jobs are stopped until an operator accepts that the database was restored.
  package var awaitsAcceptance: Bool { items.values.contains(where: \.awaitsAcceptance) }
  /// The known problems, until they are resolved.
  package let problems: [KeptProblem]

  init(_ snapshot: DueSnapshot, reading: ClockReading, verdict: ClockVerdict, isDraining: Bool) {
    items = snapshot.items.mapValues { item in
      Item(
        dueAt: item.dueAt, lateBy: item.lateBy, isDue: item.isDue, isPaused: item.isPaused,
        awaitsAcceptance: item.awaitsAcceptance, failing: Int(item.failing), quarantined: Int(item.quarantined))
    }
    now = snapshot.now
    skew = reading.skew
    self.verdict = verdict
    isClockStopped = snapshot.clocks.isClockStopped
    stoppedBy = snapshot.clocks.stops.filter(\.bindsAll).map(\.node)
    self.isDraining = isDraining
    isSimulated = snapshot.isSimulated
    leavesWakeUpsOut = snapshot.leavesWakeUpsOut
    problems = stride(from: 0, to: snapshot.problems.count - 2, by: 3).map { place in
      KeptProblem(
        name: snapshot.problems[place], text: snapshot.problems[place + 1],
        since: Int64(snapshot.problems[place + 2]).map { Timestamp(microseconds: $0) })
    }
  }
}

/// A problem that the database keeps until it is resolved: a row of `settled.problem`.
package struct KeptProblem: Sendable, Equatable {
  package let name: String
  package let text: String
  package let since: Timestamp?
}
