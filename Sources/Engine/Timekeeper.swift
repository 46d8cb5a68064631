/// The node's own monotonic time, and chance: handed in, so that decisions stay testable.
package struct Timekeeper: Sendable {
  /// Time since some fixed instant; never goes back, whatever happens to the wall clock.
  package let now: @Sendable () -> Duration
  package let sleep: @Sendable (Duration) async throws -> Void
  /// A number in 0..<1.
  package let draw: @Sendable () -> Double

  package init(
    now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
    draw: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.draw = draw
  }
}
