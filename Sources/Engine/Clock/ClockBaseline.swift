package import Postgres

/// The offset between the database's clock and a node's boot clock when both were last known to be right.
package struct ClockBaseline: Sendable, Equatable {
  package var bootId: String
  package var boot: Duration
  package var database: Timestamp
  /// Its number among the baselines of all nodes; nil until the database has assigned it.
  package var established: Int64?
  /// How many baselines had been established when this node last saw the clocks agree.
  package var agreed: Int64 = 0
  /// The number and sum of the differences that operators had accepted at this node's last poll.
  package var acceptances: Int64 = 0
  package var accepted: Duration = .zero
  /// How far the database may be ahead of the node's wall clock, because operators accepted it.
  package var host: Duration = .zero

  package init(bootId: String, boot: Duration, database: Timestamp) {
    self.bootId = bootId
    self.boot = boot
    self.database = database
  }

  /// A row of `settled.clock_baseline`.
  init(_ row: Row) throws(PostgresError) {
    bootId = try row["boot_id"]
    boot = .microseconds(try row["boot_microseconds"] as Int64)
    database = try row["database_at"]
    established = try row["established"]
    agreed = try row["agreed"]
    acceptances = try row["acceptances"]
    accepted = .milliseconds(try row["accepted_milliseconds"] as Int64)
    host = .milliseconds(try row["host_milliseconds"] as Int64)
  }

  /// How far the database's clock has jumped since: forward is positive.
  package func jump(to reading: ClockReading) -> Duration {
    reading.database.since(database) - (reading.boot - boot)
  }

  /// The tolerance for crystals and time servers: 500 parts in a million, and a second for the reading itself.
  package func isDrift(_ jump: Duration, at reading: ClockReading) -> Bool {
    let elapsed = reading.boot - boot
    return abs(jump) <= .seconds(1) + elapsed / 2000
  }

  /// Accepts a difference as right: the rest of the jump is kept, as is everything else.
  mutating func accept(_ difference: Duration, at reading: ClockReading) {
    guard let right = reading.database.advanced(by: difference - jump(to: reading)) else { return }
    boot = reading.boot
    database = right
    host += difference
  }

  /// Accepts the reading as right; everything else is kept.
  mutating func rebase(on reading: ClockReading) {
    boot = reading.boot
    database = reading.database
    if abs(reading.skew) <= ClockJudge.hostSkewMax { host = .zero }
  }
}

/// The size of a duration.
func abs(_ duration: Duration) -> Duration {
  duration < .zero ? .zero - duration : duration
}
