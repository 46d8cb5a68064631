import Synchronization

/// The large answers of one socket that their callers have not taken yet.
///
/// Large reads go one at a time, but an answer stays in memory until it is taken: callers who ask and take nothing
/// would fill it. Those of admins and root count apart, so that others are not in their way.
final class UntakenAnswers: Sendable {
  private struct Bytes {
    var ordinary = 0
    var admins = 0

    mutating func add(_ length: Int, _ standing: Standing) {
      if !standing.isAdmins { ordinary += length } else { admins += length }
    }
  }

  private let limits: ServingLimits
  private let bytes = Mutex(Bytes())

  init(limits: ServingLimits) {
    self.limits = limits
  }

  /// Whether an answer of this length may wait beside the others; it counts until `leave`. Alone each may.
  func enter(_ length: Int, _ standing: Standing) -> Bool {
    guard length > limits.smallAnswerBytesMax else { return true }
    return bytes.withLock { bytes in
      let others = !standing.isAdmins ? bytes.ordinary : bytes.admins
      guard others == 0 || others + length <= limits.untakenBytesMax else { return false }
      bytes.add(length, standing)
      return true
    }
  }

  func leave(_ length: Int, _ standing: Standing) {
    guard length > limits.smallAnswerBytesMax else { return }
    bytes.withLock { $0.add(-length, standing) }
  }
}
