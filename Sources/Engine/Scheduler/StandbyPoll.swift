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
