package import Postgres

/// Clocks and chance: handed in, so that everything else stays testable.
package struct Surroundings: Sendable {
  /// Time since some fixed instant; never goes back.
  package var now: @Sendable () -> Duration
  /// Real time, also on a simulated database.
  package var wall: @Sendable () -> Timestamp
  package var sleep: @Sendable (Duration) async throws -> Void
  /// So many bytes that nobody can foresee.
  package var randomBytes: RandomBytes

  package init(
    now: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Timestamp,
    sleep: @escaping @Sendable (Duration) async throws -> Void, randomBytes: @escaping RandomBytes
  ) {
    self.now = now
    self.wall = wall
    self.sleep = sleep
    self.randomBytes = randomBytes
  }
}
