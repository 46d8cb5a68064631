package import Postgres

/// The database's real time and the node's own clocks, read at one moment.
package struct ClockReading: Sendable, Equatable {
  package let database: Timestamp
  /// Time since the node's boot: it advances evenly, regardless of any wall clock.
  package let boot: Duration
  /// The node's wall clock.
  package let host: Timestamp

  package init(database: Timestamp, boot: Duration, host: Timestamp) {
    self.database = database
    self.boot = boot
    self.host = host
  }

  /// How far the database is ahead of the node's wall clock.
  package var skew: Duration { database.since(host) }
}
