/// Turns notifications into polls: by `Pace` where this node is the first in the order, else by `StandbyPoll`.
struct NotifiedPolls {
  private let node: String
  private var pace = Pace()
  private var standby = StandbyPoll()
  private var order: NodeOrder
  /// When the poll is due that `pace` put off.
  private var pacedPoll: Duration?
  private var calmEnd: Duration?
  /// A timer may be early by that.
  static let fuzz: Duration = .milliseconds(1)

  init(node: String) {
    self.node = node
    order = NodeOrder(node: node)
  }

  /// When a poll is due for notifications that came before.
  var nextPoll: Duration? { [pacedPoll, standby.until].compactMap(\.self).min() }

  /// A poll begins: it serves every notification that came before.
  mutating func begin() {
    standby.poll()
    calmEnd = nil
  }

  /// A poll has ended, and saw these nodes at work.
  mutating func end(nodes: [String], hasFound: Bool) {
    if hasFound { pace.found() }
    standby.polled(hasFound: hasFound)
    order = NodeOrder(node: node, nodes: nodes)
  }

  /// Until then, or until a poll begins, this node's own sessions ask for none: it polls when the calm is over.
  mutating func keepCalm(until end: Duration) { calmEnd = end }

  /// Notifications of one session came. Returns whether to poll now.
  mutating func heard(sender: String, process: Int32, count: Int, now: Duration) -> Bool {
    if let calmEnd, now < calmEnd, sender == node { return false }
    let rank = order.rank(sender: sender, process: process)
    guard rank == 0 else {
      standby.notified(now: now, pause: NodeOrder.pause(of: rank))
      return false
    }
    guard let pause = pace.notified(count, now: now) else { return false }
    if pause > .zero { pacedPoll = now + pause }
    return pause == .zero
  }

  /// Whether the time of a poll that was put off has come, and no poll served as well.
  mutating func isPollDue(now: Duration) -> Bool {
    if let due = pacedPoll, due - now <= Self.fuzz {
      pacedPoll = nil
      pace.waited(now: now)
      return true
    }
    return standby.isOver(now: now)
  }
}
