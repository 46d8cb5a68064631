package import Postgres

/// How the database's clock stood to a node's boot clock when both were last known to be right.
package struct ClockBaseline: Sendable, Equatable {
  package let bootId: String
  package let boot: Duration
  package let database: Timestamp

  package init(bootId: String, boot: Duration, database: Timestamp) {
    self.bootId = bootId
    self.boot = boot
    self.database = database
  }

  /// How far the database's clock has jumped since: forward is positive.
  package func jump(to reading: ClockReading) -> Duration {
    reading.database.since(database) - (reading.boot - boot)
  }

  /// What crystals and time servers account for: 500 parts in a million, and a second for the reading itself.
  package func isDrift(_ jump: Duration, at reading: ClockReading) -> Bool {
    let elapsed = reading.boot - boot
    return abs(jump) <= .seconds(1) + elapsed / 2000
  }
}

/// The size of a duration.
func abs(_ duration: Duration) -> Duration {
  duration < .zero ? .zero - duration : duration
}
