/// How many items the next batch takes: 1, 8, 64, ... while batches stay quick.
///
/// The first result is soon visible, a herd is cheap, and nobody waits long behind a batch's locks.
struct BatchSize: Sendable, Equatable {
  private(set) var items = 1
  let largest: Int
  let target: Duration

  init(largest: Int, target: Duration = .milliseconds(100)) {
    precondition(largest >= 1 && target > .zero, "a batch holds at least one item")
    self.largest = largest
    self.target = target
  }

  /// Adapts to a batch of `count` items that took `elapsed`.
  mutating func observe(count: Int, elapsed: Duration) {
    let fitting = Int(max(1, (Double(count) * (target / max(elapsed, .microseconds(1)))).rounded(.down).clamped))
    items = max(1, min(items * 8, fitting, largest))
  }
}

extension Double {
  fileprivate var clamped: Double { Swift.min(self, 1_000_000) }
}
