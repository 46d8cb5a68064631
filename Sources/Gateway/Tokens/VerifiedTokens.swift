import Crypto
import Synchronization

/// Tokens that were verified a while ago, by their digest, so that not each request costs a signature.
///
/// A cache of two halves: the older half is forgotten when the younger is full. Only tokens with a valid signature come
/// in, so nobody without one can crowd out the others'.
final class VerifiedTokens: Sendable {
  struct Entry: Sendable {
    let caller: Caller
    /// Seconds since 1970.
    let expiry: Double
    let issuer: Issuer
    let keyID: String?
    let generation: Int
  }

  /// In both halves together.
  static let countMax = 10_000

  private struct State {
    var young: [SHA256Digest: Entry] = [:]
    var old: [SHA256Digest: Entry] = [:]
  }

  private let state = Mutex(State())

  func find(_ digest: SHA256Digest) -> Entry? {
    state.withLock { state in
      if let entry = state.young[digest] { return entry }
      guard let entry = state.old[digest] else { return nil }
      Self.insert(entry, digest, &state)
      return entry
    }
  }

  func keep(_ entry: Entry, _ digest: SHA256Digest) {
    state.withLock { Self.insert(entry, digest, &$0) }
  }

  var count: Int { state.withLock { $0.young.count + $0.old.count } }

  private static func insert(_ entry: Entry, _ digest: SHA256Digest, _ state: inout State) {
    if state.young.count >= countMax / 2 {
      state.old = state.young
      state.young = [:]
    }
    state.young[digest] = entry
  }
}
