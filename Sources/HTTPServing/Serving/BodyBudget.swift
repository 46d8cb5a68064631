import Synchronization

/// The room for the bodies of all requests of one socket, while they are read and worked on.
///
/// An eighth of it is kept for small bodies. With its large bodies one sharer, such as a user or an address, fills at
/// most a quarter, and with small ones a half, so that nobody locks the others out.
final class BodyBudget: Sendable {
  /// What one body holds of the budget.
  struct Hold {
    let sharers: [String]
    /// The limit of this body, which has room where it is alone.
    let bytesMax: Int
    fileprivate(set) var bytes = 0

    init(sharers: [String], bytesMax: Int) {
      self.sharers = sharers
      self.bytesMax = bytesMax
    }
  }

  private struct State {
    var bytes = 0
    var bySharer: [String: Int] = [:]
  }

  private static let smallBytesMax = 64 * 1024

  private let bytesMax: Int
  private let gauges: ServingGauges?
  private let state = Mutex(State())

  init(bytesMax: Int, _ gauges: ServingGauges?) {
    self.bytesMax = bytesMax
    self.gauges = gauges
  }

  /// Whether so many bytes more of a body have room; they count until `giveBack`.
  func take(_ count: Int, for hold: inout Hold) -> Bool {
    let isSmall = hold.bytes + count <= Self.smallBytesMax
    let (sharers, own, share) = (hold.sharers, hold.bytes, max(isSmall ? bytesMax / 2 : bytesMax / 4, hold.bytesMax))
    let hasRoom = state.withLock { state in
      let isAlone = state.bytes == own
      guard state.bytes + count <= (isSmall || isAlone ? bytesMax : bytesMax - bytesMax / 8) else { return false }
      guard sharers.allSatisfy({ (state.bySharer[$0] ?? 0) + count <= share }) else { return false }
      state.bytes += count
      for sharer in sharers { state.bySharer[sharer, default: 0] += count }
      gauges?.setBodyBytes(state.bytes)
      return true
    }
    if hasRoom { hold.bytes += count }
    return hasRoom
  }

  func giveBack(_ hold: inout Hold) {
    let (sharers, count) = (hold.sharers, hold.bytes)
    hold.bytes = 0
    state.withLock { state in
      state.bytes -= count
      for sharer in sharers {
        let left = (state.bySharer[sharer] ?? 0) - count
        state.bySharer[sharer] = left > 0 ? left : nil
      }
      gauges?.setBodyBytes(state.bytes)
    }
  }
}
