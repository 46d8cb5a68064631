import Engine
import Cron

/// A node's state in words, for `status`, health and the status line of systemd.
package struct NodeStatus: Sendable {
  package enum State: String, Sendable {
    case ready, degraded, draining
  }

  package let state: State
  /// False exactly while the database is unreachable, the schema is unchecked, or the node drains.
  package let isReady: Bool
  /// The problems for operators, the worst first; empty when all is well.
  package let details: [NodeProblem]
  /// Their texts.
  package var problems: [String] { details.map(\.text) }
  /// Notes on the configuration that operators should see.
  package let notes: [String]
  /// The problems in names and codes only: for the health socket, which anyone may query.
  package var problemCodes: [String] { details.map(\.code) }

  /// A poll older than this does not describe the present: twice the longest interval of fallback polls.
  private static let pollAgeMax: Duration = .seconds(600)

  package init(_ monitor: NodeMonitor.State, now: Duration) {
    var problems: [NodeProblem] = []
    if let problem = monitor.databaseError {
      let code = monitor.databaseErrorCode
      problems.append(
        .init(.databaseAway, detail: code, since: monitor.databaseAwaySince, "the database is unreachable: \(problem)"))
    }
    if !monitor.isSchemaChecked {
      problems.append(.init(.schemaUnchecked, "the schema has not been checked yet"))
    }
    let isDraining = monitor.isDraining
    if isDraining { problems.append(.init(.draining, "this node is draining and claims no new work")) }
    if let holder = monitor.nameHolder {
      problems.append(.init(.nameHeld, "this node is waiting for its name: \(holder)"))
    }
    if monitor.isNameShared {
      problems.append(.init(.nameShared, "another daemon is using this node's name: give each node its own name"))
    }
    for path in monitor.lostSockets {
      let text = "the socket file \(path) was removed: the socket is unreachable until a restart"
      problems.append(.init(.socketLost, text))
    }
    for (name, error) in monitor.interrupted.sorted(by: { $0.key < $1.key }) {
      let text = "\(name) is interrupted and will be retried: \(error)"
      problems.append(.init(.interrupted, detail: name, target: name, text))
    }
    if let snapshot = monitor.snapshot { problems += Self.problems(snapshot) }
    if let polledAt = monitor.polledAt, now - polledAt > Self.pollAgeMax {
      let text = "the scheduler has not polled for \((now - polledAt).components.seconds) s"
      problems.append(.init(.noLook, text))
    }
    if monitor.isSchemaChecked && monitor.databaseError == nil && !monitor.isListening && !monitor.poolsTransactions {
      problems.append(
        .init(.noNotifications, "no notifications are arriving, so the node polls every second"))
    }
    notes =
      monitor.poolsTransactions
      ? [
        "notifications cannot pass a proxy that pools transactions (prepared_statements = off): "
          + "the node polls every second"
      ] : []
    details = problems
    isReady = Self.isReady(monitor)
    state = isDraining ? .draining : problems.isEmpty ? .ready : .degraded
  }

  /// False exactly while the database is unreachable, the schema is unchecked, or the node drains.
  package static func isReady(_ monitor: NodeMonitor.State) -> Bool {
    monitor.databaseError == nil && monitor.isSchemaChecked && !monitor.isDraining
  }

  private static func problems(_ snapshot: NodeSnapshot) -> [NodeProblem] {
    var problems: [NodeProblem] = []
    switch snapshot.verdict {
    case .agrees where snapshot.isClockStopped:
      let nodes = snapshot.stoppedBy.joined(separator: ", ")
      problems.append(.init(.clockHeld, "the clock is wrong according to node \(nodes), so nothing is being settled"))
    case .agrees: break
    case .jumped: problems.append(.init(.clockJumped, snapshot.verdict.description))
    case .outvoted: problems.append(.init(.clockOutvoted, snapshot.verdict.description))
    case .hostIsOff: problems.append(.init(.hostClockOff, snapshot.verdict.description))
    }
    if snapshot.leavesWakeUpsOut {
      problems.append(
        .init(
          .notifyQueue,
          "the server's notification queue is half full, so the node polls every second: settlectl doctor"))
    }
    problems += snapshot.problems.map { .init(kept: $0.name, since: $0.since, $0.text) }
    for (name, item) in snapshot.items.sorted(by: { $0.key < $1.key }) {
      if item.quarantined > 0 {
        problems.append(.init(plain: "\(name): \(item.quarantined) quarantined", .quarantined, of: name))
      }
      if item.failing > 0 { problems.append(.init(plain: "\(name): \(item.failing) failing", .failing, of: name)) }
      if item.isPaused { problems.append(.init(plain: "\(name): paused", .jobPaused, of: name)) }
      if item.lateBy > .seconds(60) {
        let text = "\(name): overdue by \(TimeSpan.rough(item.lateBy))"
        problems.append(.init(plain: text, .jobLate, of: name, since: item.dueAt))
      }
    }
    return problems
  }
}
