/// Whether a node that rests may trust its mark.
///
/// Writers notify only while some node's row says `needs_notify`. A writer that read the row before the mark was
/// committed stays silent, and may commit after the node's last poll. It had its transaction id by then, because it
/// reads the row after it wrote. Once every transaction that had begun by the first poll after the mark has ended, one
/// more poll misses nothing. Source: Engine.docc/SleepingNode.md.
struct NotifyMark {
  private(set) var isArmed = false
  /// The first transaction id that had not begun at the first poll after the mark; nil once all older ones have ended.
  private var horizon: UInt64?
  private var polls = 0

  mutating func arm() {
    isArmed = true
    horizon = nil
    polls = 0
  }

  mutating func disarm() {
    self = NotifyMark()
  }

  /// Takes note of a poll; returns after how long to poll again for the sake of silent writers, nil: not needed.
  mutating func observe(oldest: UInt64, next: UInt64) -> Duration? {
    guard isArmed else { return nil }
    if polls == 0 { horizon = next }
    polls += 1
    guard let horizon, oldest < horizon else {
      self.horizon = nil
      return nil
    }
    return min(.milliseconds(20) * (1 << min(polls, 10)), .seconds(30))
  }
}
