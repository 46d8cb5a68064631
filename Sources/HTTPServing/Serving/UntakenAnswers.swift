import Synchronization

/// The large answers of one socket that their callers have not taken yet.
///
/// Large reads go one at a time, but an answer stays in memory until it is taken: callers who ask and take nothing
/// would fill it. Those of admins and root count apart, so that others are not in their way.
final class UntakenAnswers: Sendable {
  private let limits: ServingLimits
  /// By whether their clients are ordinary ones.
  private let bytes = Mutex([true: 0, false: 0])

  init(limits: ServingLimits) {
    self.limits = limits
  }

  /// Whether an answer of this length may wait beside the others; it counts until `leave`. Alone each may.
  func enter(_ length: Int, _ standing: Standing) -> Bool {
    guard length > limits.smallAnswerBytesMax else { return true }
    return bytes.withLock { bytes in
      let others = bytes[standing == .ordinary, default: 0]
      guard others == 0 || others + length <= limits.untakenBytesMax else { return false }
      bytes[standing == .ordinary] = others + length
      return true
    }
  }

  func leave(_ length: Int, _ standing: Standing) {
    guard length > limits.smallAnswerBytesMax else { return }
    bytes.withLock { $0[standing == .ordinary, default: length] -= length }
  }
}
