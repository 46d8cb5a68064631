package import Postgres

/// The node's own clocks, and randomness: injected, so that decisions stay testable.
package struct Timekeeper: Sendable {
  /// Time since some fixed instant; never goes back, regardless of the wall clock.
  package let now: @Sendable () -> Duration
  /// Time since the node's boot, and which boot that is.
  package let boot: @Sendable () -> Duration
  package let bootId: String
  /// The node's wall clock: only to be compared with the database's, never to decide what is due.
  package let wall: @Sendable () -> Timestamp
  package let sleep: @Sendable (Duration) async throws -> Void
  /// A number in 0..<1.
  package let draw: @Sendable () -> Double

  package init(
    now: @escaping @Sendable () -> Duration, boot: @escaping @Sendable () -> Duration, bootId: String,
    wall: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Duration) async throws -> Void,
    draw: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.boot = boot
    self.bootId = bootId
    self.wall = wall
    self.sleep = sleep
    self.draw = draw
  }
}
