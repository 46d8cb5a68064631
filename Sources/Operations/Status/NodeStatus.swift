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
  /// What an operator should know, the worst first; empty when all is well.
  package let problems: [String]
  /// The same, in names and codes only: for the health socket, which anybody may ask.
  package let problemCodes: [String]

  /// A look older than this says nothing of now: it is twice the longest sweep.
  private static let lookAgeMax: Duration = .seconds(600)

  private struct Problem {
    let code: String
    let text: String

    init(_ code: String, _ text: String) {
      self.code = code
      self.text = text
    }

    /// One that holds nothing but names and numbers.
    init(plain text: String) { self.init(text, text) }
  }

  package init(_ monitor: NodeMonitor.State, now: Duration) {
    var problems: [Problem] = []
    if let trouble = monitor.databaseTrouble {
      let code = monitor.databaseTroubleCode.map { " " + $0 } ?? ""
      problems.append(.init("database-away" + code, "the database is away: \(trouble)"))
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
    if let look = monitor.look { problems += Self.problems(look) }
    if let lookedAt = monitor.lookedAt, now - lookedAt > Self.lookAgeMax {
      let text = "the scheduler has not looked for \((now - lookedAt).components.seconds) s"
      problems.append(.init("no-look", text))
    }
    if monitor.isSchemaChecked && monitor.databaseTrouble == nil && !monitor.isListening {
      let text =
        monitor.poolsTransactions
        ? "no notification comes through a proxy that pools transactions: the node looks every second instead"
        : "notifications do not come: the node looks every second instead"
      problems.append(.init("no-notifications", text))
    }
    self.problems = problems.map(\.text)
    problemCodes = problems.map(\.code)
    isReady = Self.isReady(monitor)
    state = isDraining ? .draining : problems.isEmpty ? .ready : .degraded
  }

  /// False exactly while the database is away, the schema is unchecked, or the node drains.
  package static func isReady(_ monitor: NodeMonitor.State) -> Bool {
    monitor.databaseTrouble == nil && monitor.isSchemaChecked && !monitor.isDraining
  }

  private static func problems(_ look: NodeSnapshot) -> [Problem] {
    var problems: [Problem] = []
    switch look.verdict {
    case .agrees where look.isHeld:
      let nodes = look.stoppedBy.joined(separator: ", ")
      problems.append(.init("clock-held", "the clock is wrong by node \(nodes): nothing is settled"))
    case .agrees: break
    case .jumped: problems.append(.init("clock-jumped", look.verdict.description))
    case .outvoted: problems.append(.init("clock-outvoted", look.verdict.description))
    case .hostIsOff: problems.append(.init("host-clock-off", look.verdict.description))
    }
    problems += zip(look.problemNames, look.problems).map { .init($0, $1) }
    for (name, item) in look.items.sorted(by: { $0.key < $1.key }) {
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
