/// Delays between attempts that grow by a factor up to a limit.
///
/// Pure: jitter is a number that the caller draws.
package struct Backoff: Sendable, Equatable {
  package let first: Duration
  package let factor: Int
  package let longest: Duration

  package init(first: Duration, factor: Int, longest: Duration) {
    precondition(first > .zero && factor >= 1 && longest >= first, "a back-off grows from a positive delay")
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
