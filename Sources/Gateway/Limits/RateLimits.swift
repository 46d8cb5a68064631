/// The limited things, each with a bucket of its own.
///
/// Source: Gateway.docc/Limits.md. The key of a bucket is `Caller.identity`, and for `signIn` `IPAddress.limitKey`.
package enum Limit: String, Sendable, CaseIterable {
  /// Calls that write, by identity.
  case writes
  /// Calls that write of a caller with the role payments, by identity.
  case payments
  /// Flags of activities, by identity; they are writes, too.
  case flags
  /// Login, registration, reset and its confirmation, by address.
  case signIn = "sign-in"
}

/// All limits of a process.
package struct RateLimits: Sendable {
  private let buckets: [Limit: TokenBuckets]

  package static let standard: [Limit: Rate] = [
    .writes: .writes, .payments: .payments, .flags: .tenPerMinute, .signIn: .tenPerMinute,
  ]

  /// Rates that are not given are the standard ones.
  package init(_ rates: [Limit: Rate] = [:], keysMax: Int = TokenBuckets.keysMax) {
    buckets = Self.standard.merging(rates) { _, given in given }.mapValues { TokenBuckets($0, keysMax: keysMax) }
  }

  /// Nil: go ahead; else the whole seconds for Retry-After, 1 at least.
  ///
  /// `now` is of a clock that never goes back.
  package func secondsToWait(_ limit: Limit, of key: String, at now: Duration) -> Int? {
    buckets[limit]?.take(key, at: now).map { wait in
      let (seconds, attoseconds) = wait.components
      return max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0))
    }
  }
}
