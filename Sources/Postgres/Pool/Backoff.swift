/// Delays between attempts that grow by a factor up to a limit.
///
/// Pure: jitter is a number that the caller draws.
package struct Backoff: Sendable, Equatable {
  package let first: Duration
  package let factor: Int
  package let longest: Duration

  package init(first: Duration, factor: Int, longest: Duration) {
    precondition(first > .zero && factor >= 1 && longest >= first, "a back-off must start from a positive delay")
    self.first = first
    self.factor = factor
    self.longest = longest
  }

  /// The delay after the given number of failed attempts (1 and more), without jitter.
  package func delay(afterAttempts attempts: Int) -> Duration {
    var delay = first
    for _ in 1..<max(1, min(attempts, 64)) where delay < longest {
      delay *= factor
    }
    return min(delay, longest)
  }

  /// The delay with up to half of it taken off, so that many callers spread; `draw` lies in 0..<1.
  package func delay(afterAttempts attempts: Int, draw: Double) -> Duration {
    let whole = delay(afterAttempts: attempts)
    return whole - whole * (draw / 2)
  }
}

/// The pauses of one caller: it counts the failures since the last success.
package struct Pauses: Sendable {
  private let backoff: Backoff
  private(set) var failures = 0

  package init(_ backoff: Backoff) {
    self.backoff = backoff
  }

  /// The pause after one more failure; `draw` lies in 0..<1.
  package mutating func fail(draw: Double = .random(in: 0..<1)) -> Duration {
    failures += 1
    return backoff.delay(afterAttempts: failures, draw: draw)
  }

  package mutating func succeed() {
    failures = 0
  }
}

extension Backoff {
  /// Between attempts to connect.
  static let connecting = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
}
