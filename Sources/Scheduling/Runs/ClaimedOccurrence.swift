import Postgres

/// An occurrence that this node marked as running.
struct ClaimedOccurrence: Sendable {
  let schedule: String
  let instant: Timestamp
  /// The function that operators named; nil for the daemon's own schedules.
  let call: String?
  let timeout: Duration
  /// Real time: distinguishes this claim from a later one.
  let claimedAt: Timestamp
  /// The node's own time: when it was due, and when it was claimed.
  let due: Duration
  let began: Duration
  /// How often it was started, this time included.
  let attempt: Int64
  /// The server process that may end it; nil for the daemon's own schedules.
  let backend: Int32?

  var key: RunKey { RunKey(schedule: schedule, instant: instant) }
}

extension ClaimedOccurrence {
  /// A row of `OccurrenceStatements.claim`.
  init(_ row: Row, began: Duration) throws(PostgresError) {
    self.init(
      schedule: try row["schedule"], instant: try row["instant"], call: try row["call"],
      timeout: .microseconds(try row["timeout"] as Int64), claimedAt: try row["claimed_at"],
      due: began - .microseconds(Swift.max(0, try row["late"] as Int64)), began: began, attempt: try row["attempt"],
      backend: try row["backend"])
  }
}
