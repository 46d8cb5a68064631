import Engine
import Cron

/// A node's state in words: what `status`, health and the status line of systemd say.
package struct NodeStatus: Sendable {
  package enum State: String, Sendable {
    case ready, degraded, draining
  }

  package let state: State
  /// False exactly while the database is away, the schema is unchecked, or the node drains.
  package let isReady: Bool
  /// The problems for operators, the worst first; empty when all is well.
  package let problems: [String]
  /// What the configuration asks for, and operators ought to know.
  package let notes: [String]
  /// The problems in names and codes only: for the health socket, which anybody may ask.
  package let problemCodes: [String]

  /// A poll older than this says nothing of now: it is twice the longest interval of fallback polls.
  private static let pollAgeMax: Duration = .seconds(600)

  private struct Problem {
    let code: String
    let text: String

    init(_ code: String, _ text: String) {
      self.code = code
      self.text = text
    }

    /// One that has nothing but names and numbers.
    init(plain text: String) { self.init(text, text) }
  }

  package init(_ monitor: NodeMonitor.State, now: Duration) {
    var problems: [Problem] = []
    if let problem = monitor.databaseError {
      let code = monitor.databaseErrorCode.map { " " + $0 } ?? ""
      problems.append(.init("database-away" + code, "the database is away: \(problem)"))
    }
    if !monitor.isSchemaChecked { problems.append(.init("schema-unchecked", "the schema has not been checked yet")) }
    let isDraining = monitor.isDraining
    if isDraining { problems.append(.init("draining", "this node drains: it claims nothing")) }
    if let holder = monitor.nameHolder {
      problems.append(.init("name-held", "this node waits for its name: \(holder)"))
    }
    if monitor.isNameShared {
      problems.append(.init("name-shared", "another daemon runs under this node's name: give each its own"))
    }
    for path in monitor.lostSockets {
      let text = "the file of the socket \(path) was removed: nobody reaches it until a restart"
      problems.append(.init("socket-lost", text))
    }
    for (name, error) in monitor.interrupted.sorted(by: { $0.key < $1.key }) {
      problems.append(.init("interrupted \(name)", "\(name) cannot go on and is tried again: \(error)"))
    }
    if let snapshot = monitor.snapshot { problems += Self.problems(snapshot) }
    if let polledAt = monitor.polledAt, now - polledAt > Self.pollAgeMax {
      let text = "the scheduler has not looked for \((now - polledAt).components.seconds) s"
      problems.append(.init("no-look", text))
    }
    if monitor.isSchemaChecked && monitor.databaseError == nil && !monitor.isListening && !monitor.poolsTransactions {
      problems.append(
        .init("no-notifications", "notifications do not come: the node looks every second instead"))
    }
    notes =
      monitor.poolsTransactions
      ? [
        "no notification comes through a proxy that pools transactions, which prepared_statements = off asks for: "
          + "the node looks every second"
      ] : []
    self.problems = problems.map(\.text)
    problemCodes = problems.map(\.code)
    isReady = Self.isReady(monitor)
    state = isDraining ? .draining : problems.isEmpty ? .ready : .degraded
  }

  /// False exactly while the database is away, the schema is unchecked, or the node drains.
  package static func isReady(_ monitor: NodeMonitor.State) -> Bool {
    monitor.databaseError == nil && monitor.isSchemaChecked && !monitor.isDraining
  }

  private static func problems(_ snapshot: NodeSnapshot) -> [Problem] {
    var problems: [Problem] = []
    switch snapshot.verdict {
    case .agrees where snapshot.isClockStopped:
      let nodes = snapshot.stoppedBy.joined(separator: ", ")
      problems.append(.init("clock-held", "the clock is wrong by node \(nodes): nothing is settled"))
    case .agrees: break
    case .jumped: problems.append(.init("clock-jumped", snapshot.verdict.description))
    case .outvoted: problems.append(.init("clock-outvoted", snapshot.verdict.description))
    case .hostIsOff: problems.append(.init("host-clock-off", snapshot.verdict.description))
    }
    if snapshot.leavesWakeUpsOut {
      problems.append(
        .init(
          "notify-queue",
          "the server's queue of notifications is half full, so that the node looks every second: settlectl doctor"))
    }
    problems += zip(snapshot.problemNames, snapshot.problems).map { .init($0, $1) }
    for (name, item) in snapshot.items.sorted(by: { $0.key < $1.key }) {
      if item.quarantined > 0 { problems.append(.init(plain: "\(name): \(item.quarantined) quarantined")) }
      if item.failing > 0 { problems.append(.init(plain: "\(name): \(item.failing) failing")) }
      if item.isPaused { problems.append(.init(plain: "\(name): paused")) }
      if item.lateBy > .seconds(60) {
        problems.append(.init(plain: "\(name): overdue by \(TimeSpan.rough(item.lateBy))"))
      }
    }
    return problems
  }
}
