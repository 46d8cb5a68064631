import Postgres

/// Turns notifications into polls: with `Pace` if this node is the first in the order, else with `StandbyPoll`.
struct NotifiedPolls {
  private let node: String
  private var pace = Pace()
  private var standby = StandbyPoll()
  private var order: NodeOrder
  /// When the poll that `pace` postponed is due.
  private var pacedPoll: Duration?
  private var calmEnd: Duration?
  /// A timer may be early by this much.
  static let fuzz: Duration = .milliseconds(1)

  init(node: String) {
    self.node = node
    order = NodeOrder(node: node)
  }

  /// When a poll is due for earlier notifications.
  var nextPoll: Duration? { [pacedPoll, standby.until].compactMap(\.self).min() }

  /// A poll begins: it serves every earlier notification.
  mutating func begin() {
    standby.poll()
    calmEnd = nil
  }

  /// A poll has ended, and found these nodes working.
  mutating func end(nodes: [String], hasFound: Bool) {
    if hasFound { pace.found() }
    standby.polled(hasFound: hasFound)
    order = NodeOrder(node: node, nodes: nodes)
  }

  /// Until then, or until a poll begins, this node's own sessions request none: it polls when the calm is over.
  mutating func keepCalm(until end: Duration) { calmEnd = end }

  /// Notifications of one session arrived. Returns whether to poll now.
  mutating func heard(sender: String, process: Int32, count: Int, now: Duration) -> Bool {
    if let calmEnd, now < calmEnd, sender == node { return false }
    let rank = order.rank(sender: sender, process: process)
    guard rank == 0 else {
      standby.notified(now: now, pause: order.pause(of: rank))
      return false
    }
    guard let pause = pace.notified(count, now: now) else { return false }
    if pause > .zero { pacedPoll = now + pause }
    return pause == .zero
  }

  /// Whether a postponed poll is due, and no other poll took its place.
  mutating func isPollDue(now: Duration) -> Bool {
    if let due = pacedPoll, due - now <= Self.fuzz {
      pacedPoll = nil
      pace.waited(now: now)
      return true
    }
    return standby.isOver(now: now)
  }
}

/// How soon a notification makes the node poll again: the first immediately, later ones together.
///
/// Any role that may connect can notify, thousands of times a second. Two such polls are at least 20 ms apart. The
/// pause doubles, up to 250 ms, if many arrived during it and nothing was due after it. Work that falls due at a known
/// instant is not affected: the loop wakes for it as usual.
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

  /// Notifications arrived. Returns zero to poll now, or the delay before the poll; nil if a poll follows anyway.
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

  /// A postponed poll is due.
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
/// seconds. Any poll meanwhile also serves, because the notified change is committed.
struct StandbyPoll {
  static let longest: Duration = .seconds(5)

  private var idleWait: Duration = .zero
  /// When the poll is due; nil where none is.
  private(set) var until: Duration?
  /// The next poll is one that only a notification asked for.
  private var isPolling = false

  /// A notification arrived.
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

/// Whether a resting node may trust its mark.
///
/// Writers notify only while some node's row has `needs_notify`. A writer that read the row before the mark was
/// committed stays silent, and may commit after the node's last poll. It had its transaction id by then, because it
/// reads the row after it wrote. So its id is lower than one that is assigned after the mark's commit. A poll that
/// finds all lower ones ended misses nothing. Source: Engine.docc/SleepingNode.md.
struct NotifyMark {
  private static let shortest: Duration = .milliseconds(40)
  private static let longest: Duration = .seconds(20)

  private(set) var isArmed = false
  /// A transaction id that was assigned after the mark's commit; nil once all lower ones have ended.
  private var horizon: UInt64?
  private var since: Duration = .zero

  /// The mark is committed, and `horizon` is an id that was assigned after it.
  mutating func arm(_ horizon: UInt64, now: Duration) {
    isArmed = true
    self.horizon = horizon
    since = now
  }

  mutating func disarm() {
    self = NotifyMark()
  }

  /// Records a poll; returns the delay before the next poll because of silent writers; nil: not needed.
  ///
  /// The delay is the age of the mark, however many polls there were for other reasons. So a silent write is found
  /// after its transaction's end by no more than its transaction has lasted.
  mutating func observe(oldest: UInt64, now: Duration) -> Duration? {
    guard isArmed else { return nil }
    guard let horizon, oldest < horizon else {
      self.horizon = nil
      return nil
    }
    return min(max(now - since, Self.shortest), Self.longest)
  }
}

/// The order in which nodes poll for work that all of them expect: the first does it, and the others find it done.
///
/// All nodes compute the same order from the same instant or sender, and each instant has another order. A node that is
/// not among the working ones comes first.
struct NodeOrder {
  /// How much later each node polls than the one before it, and the longest that any node waits.
  ///
  /// More than ten nodes poll closer together, so that the last ones do not all poll at the same time.
  static let step: Duration = .milliseconds(100)
  static let longest: Duration = .seconds(1)

  private let place: Int?
  private let nodes: [String]

  /// - Parameter nodes: the names of the working nodes, sorted.
  init(node: String, nodes: [String] = []) {
    place = nodes.firstIndex(of: node)
    self.nodes = nodes
  }

  /// How many nodes come before this one at an instant at which something falls due.
  func rank(at instant: Timestamp?) -> Int {
    instant.map { rank(from: Int(Self.mixed($0.microseconds) % UInt64(max(1, nodes.count)))) } ?? 0
  }

  /// How many nodes come before this one when a session notified: the node that owns the session comes first.
  func rank(sender: String, process: Int32) -> Int {
    rank(from: nodes.firstIndex(of: sender) ?? Int(process.magnitude) % max(1, nodes.count))
  }

  func pause(of rank: Int) -> Duration { min(Self.step, Self.longest / max(1, nodes.count)) * rank }

  private func rank(from first: Int) -> Int {
    place.map { ($0 - first + nodes.count) % nodes.count } ?? 0
  }

  /// Instants are mostly multiples of a second: their lowest digits carry no information. The finalizer of SplitMix64.
  private static func mixed(_ microseconds: Int64) -> UInt64 {
    var value = UInt64(bitPattern: microseconds)
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
