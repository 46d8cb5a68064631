/// How many items the next batch takes: 1, 8, 64, ... while batches stay quick.
///
/// The first result is soon visible, many items at one instant are cheap, and no transaction waits long for a batch's
/// locks.
package struct BatchSize: Sendable, Equatable {
  package private(set) var items: Int
  let largest: Int
  let target: Duration?

  /// - Parameter target: nil: each batch may have the largest size.
  init(largest: Int, target: Duration? = .milliseconds(100)) {
    precondition(largest >= 1 && target ?? .seconds(1) > .zero, "a batch must have at least one item")
    items = target == nil ? largest : 1
    self.largest = largest
    self.target = target
  }

  /// Adapts to a batch of `count` items whose locks were held for `elapsed`.
  ///
  /// A batch within the target never makes the next one smaller, and always lets it grow by one: where the fixed cost
  /// of a batch outweighs its items, only larger batches keep up.
  package mutating func observe(count: Int, elapsed: Duration) {
    guard let target else { return }
    let fitting = Int(max(1, (Double(count) * (target / max(elapsed, .microseconds(1)))).rounded(.down).clamped))
    if elapsed <= target {
      items = max(items, min(items * 8, max(fitting, count + 1), largest))
    } else {
      items = min(items, fitting)
    }
  }
}

extension Double {
  fileprivate var clamped: Double { Swift.min(self, 1_000_000) }
}
