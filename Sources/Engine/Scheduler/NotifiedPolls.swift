import Postgres
import Synchronization

/// Turns notifications into polls: by `Pace` where this node is the first in the order, else by `StandbyPoll`.
final class NotifiedPolls: Sendable {
  private struct State {
    var pace = Pace()
    var standby = StandbyPoll()
    var order: NodeOrder
    var calmEnd: Duration?
  }

  private let state: Mutex<State>
  private let node: String
  private let time: Timekeeper
  private let poll: @Sendable () -> Void

  init(node: String, time: Timekeeper, poll: @escaping @Sendable () -> Void) {
    self.node = node
    self.time = time
    self.poll = poll
    state = Mutex(State(order: NodeOrder(node: node)))
  }

  /// A poll begins: it serves every notification that came before.
  func begin() {
    state.withLock { state in
      state.standby.poll()
      state.calmEnd = nil
    }
  }

  /// Until then, or until a poll begins, this node's own sessions ask for none: it polls when the calm is over.
  func keepCalm(until end: Duration) {
    state.withLock { $0.calmEnd = end }
  }

  /// A poll has ended, and saw these nodes at work.
  func end(nodes: [String], hasFound: Bool) {
    state.withLock { state in
      if hasFound { state.pace.found() }
      state.standby.polled(hasFound: hasFound)
      state.order = NodeOrder(node: node, nodes: nodes)
    }
  }

  func heard(_ notification: Notification) {
    let now = time.now()
    let (rank, rest) = state.withLock { state -> (Int, Duration?) in
      if let end = state.calmEnd, now < end, notification.payload == node { return (0, nil) }
      let rank = state.order.rank(sender: notification.payload, process: notification.pid)
      guard rank > 0 else { return (rank, state.pace.notified(now: now)) }
      return (rank, state.standby.notified(now: now, pause: NodeOrder.pause(of: rank)))
    }
    guard let rest else { return }
    guard rest > .zero else { return poll() }
    Task {
      try? await time.sleep(rest)
      if rank == 0 {
        state.withLock { $0.pace.waited(now: time.now()) }
      } else if state.withLock({ !$0.standby.isOver(now: time.now()) }) {
        return
      }
      poll()
    }
  }
}
