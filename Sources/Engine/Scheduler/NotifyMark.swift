/// Whether a resting node may trust its mark.
///
/// Writers notify only while some node's row has `needs_notify`. A writer that read the row before the mark was
/// committed stays silent, and may commit after the node's last poll. It had its transaction id by then, because it
/// reads the row after it wrote. So its id is lower than one that is assigned after the mark's commit. A poll that
/// finds all lower ones ended misses nothing. Source: Engine.docc/SleepingNode.md.
struct NotifyMark {
  private(set) var isArmed = false
  /// A transaction id that was assigned after the mark's commit; nil once all lower ones have ended.
  private var horizon: UInt64?
  private var polls = 0

  /// The mark is committed, and `horizon` is an id that was assigned after it.
  mutating func arm(_ horizon: UInt64) {
    isArmed = true
    self.horizon = horizon
    polls = 0
  }

  mutating func disarm() {
    self = NotifyMark()
  }

  /// Records a poll; returns the delay before the next poll because of silent writers; nil: not needed.
  mutating func observe(oldest: UInt64) -> Duration? {
    guard isArmed else { return nil }
    polls += 1
    guard let horizon, oldest < horizon else {
      self.horizon = nil
      return nil
    }
    return min(.milliseconds(20) * (1 << min(polls, 10)), .seconds(30))
  }
}
