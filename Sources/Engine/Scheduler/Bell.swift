/// When a node may trust its sleep.
///
/// Writers notify only while some node is marked asleep. A writer that looked before the mark was committed stays
/// silent, and may commit after the node's last look. It had its transaction id by then (it looks after it wrote), so
/// once every transaction that had begun by the first look after the mark has ended, one more look misses nothing.
/// Source: Engine.docc/SleepingNode.md.
struct Bell {
  private(set) var isArmed = false
  /// The first transaction id that had not begun at the first look after arming; nil once all older ones have ended.
  private var horizon: UInt64?
  private var looks = 0

  mutating func arm() {
    isArmed = true
    horizon = nil
    looks = 0
  }

  mutating func disarm() {
    self = Bell()
  }

  /// Takes note of a look; yields after how long to look again for the sake of silent writers, nil: not needed.
  mutating func observe(oldest: UInt64, next: UInt64) -> Duration? {
    guard isArmed else { return nil }
    if looks == 0 { horizon = next }
    looks += 1
    guard let horizon, oldest < horizon else {
      self.horizon = nil
      return nil
    }
    return min(.milliseconds(20) * (1 << min(looks, 10)), .seconds(30))
  }
}
