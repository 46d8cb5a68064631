import Schedules

/// A node's state in words: what `status`, health and the status line of systemd say.
package struct NodeStatus: Sendable {
  package enum State: String, Sendable {
    case ready, degraded, draining
  }

  package let state: State
  /// False exactly while the database is away, the schema is unchecked, or the node drains.
  package let isReady: Bool
  /// What an operator should know, the worst first; empty when all is well.
  package let problems: [String]

  /// A look older than this says nothing of now: it is twice the longest sweep.
  private static let lookAgeMax: Duration = .seconds(600)

  package init(_ monitor: NodeMonitor.State, now: Duration) {
    var problems: [String] = []
    if let trouble = monitor.databaseTrouble { problems.append("the database is away: \(trouble)") }
    if !monitor.isSchemaChecked { problems.append("the schema has not been checked yet") }
    let isDraining = monitor.isDraining
    if isDraining { problems.append("this node drains: it claims nothing") }
    if let holder = monitor.nameHolder { problems.append("this node waits for its name: \(holder)") }
    if monitor.isNameShared { problems.append("another daemon runs under this node's name: give each its own") }
    for path in monitor.lostSockets {
      problems.append("the file of the socket \(path) was removed: nobody reaches it until a restart")
    }
    for (name, error) in monitor.interrupted.sorted(by: { $0.key < $1.key }) {
      problems.append("\(name) cannot go on and is tried again: \(error)")
    }
    if let look = monitor.look { problems += Self.problems(look) }
    if let lookedAt = monitor.lookedAt, now - lookedAt > Self.lookAgeMax {
      problems.append("the scheduler has not looked for \((now - lookedAt).components.seconds) s")
    }
    if monitor.isSchemaChecked && monitor.databaseTrouble == nil && !monitor.isListening {
      problems.append("notifications do not come: the node looks every second instead")
    }
    self.problems = problems
    isReady = monitor.databaseTrouble == nil && monitor.isSchemaChecked && !isDraining
    state = isDraining ? .draining : problems.isEmpty ? .ready : .degraded
  }

  private static func problems(_ look: Look) -> [String] {
    var problems: [String] = []
    switch look.verdict {
    case .agrees where look.isHeld:
      problems.append("the clock is wrong by node \(look.stoppedBy.joined(separator: ", ")): nothing is settled")
    case .agrees: break
    case .jumped, .outvoted, .hostIsOff: problems.append(look.verdict.description)
    }
    problems += look.problems
    for (name, item) in look.items.sorted(by: { $0.key < $1.key }) {
      if item.quarantined > 0 { problems.append("\(name): \(item.quarantined) quarantined") }
      if item.failing > 0 { problems.append("\(name): \(item.failing) failing") }
      if item.isPaused { problems.append("\(name): paused") }
      if item.lateBy > .seconds(60) { problems.append("\(name): overdue by \(TimeSpan.rough(item.lateBy))") }
    }
    return problems
  }
}
