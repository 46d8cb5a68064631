/// How often something may happen: `burst` times at once, and then once in every `interval`.
package struct Rate: Hashable, Sendable {
  package let interval: Duration
  package let burst: Int

  /// `count` times in `span`; the burst is the same count where none is given.
  ///
  /// Nil unless `count` is 1 to 1,000,000, `burst` 1 to 1,000,000, and `span` a second to a day.
  package init?(_ count: Int, per span: Duration, burst: Int? = nil) {
    let burst = burst ?? count
    guard (1...1_000_000).contains(count), (1...1_000_000).contains(burst), span >= .seconds(1),
      span <= .seconds(86_400)
    else { return nil }
    self.init(trusted: span / count, burst)
  }

  private init(trusted interval: Duration, _ burst: Int) {
    self.interval = interval
    self.burst = burst
  }

  /// How long an empty bucket takes to be full.
  var refill: Duration { interval * burst }

  package static let writes = Rate(trusted: .milliseconds(50), 40)
  package static let payments = Rate(trusted: .milliseconds(5), 200)
  package static let tenPerMinute = Rate(trusted: .seconds(6), 10)
}
