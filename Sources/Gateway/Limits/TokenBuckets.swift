import Synchronization

/// A bucket of tokens for each of many keys: who has taken all of theirs has to wait.
///
/// Kept for a key is only the instant at which its bucket is full again (the generic cell rate algorithm):
/// exact, and no float drifts. A key whose bucket is full need not be kept at all. Keys live in two halves, the
/// younger one with those seen last. The older half is forgotten when it cannot hold anything but full buckets,
/// or when the younger one has half of the greatest count: what goes first is what nobody asked for the
/// longest, in constant time for each call.
package final class TokenBuckets: Sendable {
  /// In both halves together.
  package static let keysMax = 100_000

  private struct State {
    var young: [String: Duration] = [:]
    var old: [String: Duration] = [:]
    var turnedAt: Duration?
  }

  private let rate: Rate
  private let halfMax: Int
  private let state = Mutex(State())

  package init(_ rate: Rate, keysMax: Int = TokenBuckets.keysMax) {
    self.rate = rate
    halfMax = max(1, keysMax / 2)
  }

  /// Takes a token of this key. Nil: there was one; else so long until there is, and none was taken.
  ///
  /// `now` is of a clock that never goes back.
  package func take(_ key: String, at now: Duration) -> Duration? {
    state.withLock { state in
      rotate(&state, at: now)
      let fullAt = max(state.young[key] ?? state.old[key] ?? now, now)
      let wait = fullAt + rate.interval - now - rate.refill
      let isAllowed = wait <= .zero
      state.young[key] = isAllowed ? fullAt + rate.interval : fullAt
      if state.young.count >= halfMax { Self.forget(&state, at: now) }
      return isAllowed ? nil : wait
    }
  }

  /// Keys that are remembered; those in both halves count twice.
  var count: Int { state.withLock { $0.young.count + $0.old.count } }

  /// A bucket that nobody asked since the last two rotations is full by now.
  private func rotate(_ state: inout State, at now: Duration) {
    guard let turnedAt = state.turnedAt else {
      state.turnedAt = now
      return
    }
    if now - turnedAt >= rate.refill { Self.forget(&state, at: now) }
  }

  private static func forget(_ state: inout State, at now: Duration) {
    state.old = state.young
    state.young = [:]
    state.turnedAt = now
  }
}
