/// When a node polls for notifications at which another node polls first.
///
/// It waits for those before it in the order. A poll that finds nothing to do makes the next wait longer, up to five
/// seconds. Any poll meanwhile serves as well, because what was notified is committed.
struct StandbyPoll {
  static let longest: Duration = .seconds(5)
  /// A timer may be early by that.
  private static let fuzz: Duration = .milliseconds(1)

  private var idleWait: Duration = .zero
  private var until: Duration?
  /// The next poll is one that only a notification asked for.
  private var isPolling = false

  /// A notification came. Returns the time after which to ask `isOver`; nil where somebody asks already.
  mutating func notified(now: Duration, pause: Duration) -> Duration? {
    guard until == nil else { return nil }
    let rest = max(pause, idleWait)
    until = now + rest
    return rest
  }

  /// Whether the wait is over, and there was no poll meanwhile.
  mutating func isOver(now: Duration) -> Bool {
    guard let until, until - now <= Self.fuzz else { return false }
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
