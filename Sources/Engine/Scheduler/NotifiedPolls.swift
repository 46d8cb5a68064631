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

/// How soon a notification makes the node poll again: the first at once, the following ones together.
///
/// Any role that may connect can notify, thousands of times a second. Between two such polls lie 20 ms. A
/// pause in which many came, and after which nothing was found due, is doubled up to 250 ms. Work that falls due by
/// itself is not concerned: the loop wakes for it as ever.
struct Pace {
  static let first: Duration = .milliseconds(20)
  static let longest: Duration = .milliseconds(250)
  /// More than this in one pause are a flood.
  static let ordinaryMax = 8

  private var pause = Pace.first
  private var lastPoll: Duration?
  private var count = 0
  private var isWaiting = false
  private var wasUseful = false

  /// Notifications came: zero to poll now, or the time after which to poll; nil where a poll is to come anyway.
  mutating func notified(_ new: Int = 1, now: Duration) -> Duration? {
    count += new
    guard !isWaiting else { return nil }
    let rest = lastPoll.map { $0 + pause - now } ?? .zero
    guard rest > .zero else {
      // A pause went by without one.
      if let lastPoll, now - lastPoll > pause * 2 { pause = Self.first }
      begin(now)
      return .zero
    }
    isWaiting = true
    return rest
  }

  /// The time of a poll that was put off has come.
  mutating func waited(now: Duration) {
    pause = count > Self.ordinaryMax && !wasUseful ? min(Self.longest, pause * 2) : Self.first
    begin(now)
  }

  /// A poll found something to do.
  mutating func found() { wasUseful = true }

  private mutating func begin(_ now: Duration) {
    lastPoll = now
    count = 0
    isWaiting = false
    wasUseful = false
  }
}

/// When a node polls for notifications at which another node polls first.
///
/// It waits for those before it in the order. A poll that finds nothing to do makes the next wait longer, up to five
/// seconds. Any poll meanwhile serves as well, because what was notified is committed.
struct StandbyPoll {
  static let longest: Duration = .seconds(5)

  private var idleWait: Duration = .zero
  /// When the poll is due; nil where none is.
  private(set) var until: Duration?
  /// The next poll is one that only a notification asked for.
  private var isPolling = false

  /// A notification came.
  mutating func notified(now: Duration, pause: Duration) {
    if until == nil { until = now + max(pause, idleWait) }
  }

  /// Whether the wait is over, and there was no poll meanwhile.
  mutating func isOver(now: Duration) -> Bool {
    guard let until, until - now <= NotifiedPolls.fuzz else { return false }
    isPolling = true
    return true
  }

  /// A poll begins.
  mutating func poll() { until = nil }

  /// A poll has ended.
  mutating func polled(hasFound: Bool) {
    defer { isPolling = false }
    if hasFound { idleWait = .zero }
    if !hasFound, isPolling { idleWait = min(Self.longest, max(NodeOrder.step, idleWait * 2)) }
  }
}
