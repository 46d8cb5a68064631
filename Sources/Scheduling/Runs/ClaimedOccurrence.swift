import Postgres

/// An occurrence that this node marked as running.
struct ClaimedOccurrence: Sendable {
  let schedule: String
  let instant: Timestamp
  /// The function that operators named; nil for the daemon's own schedules.
  let call: String?
  let timeout: Duration
  /// Real time: tells this claim from a later one.
  let claimedAt: Timestamp
  /// The node's own time: when it was due, and when it was claimed.
  let due: Duration
  let began: Duration
  /// How often it was begun, this time included.
  let attempt: Int64
  /// The server process that may end it; nil for the daemon's own schedules.
  let backend: Int32?

  var key: RunKey { RunKey(schedule: schedule, instant: instant) }

  /// Never inlined: within an asynchronous function such a decoding ends Swift 6.3.1's optimiser with signal 11.
  @inline(never)
  static func all(_ rows: Rows, at now: Duration) throws(PostgresError) -> [ClaimedOccurrence] {
    var claimed: [ClaimedOccurrence] = []
    for (schedule, instant, call, timeout, claimedAt, late, attempt, backend) in try rows.decode(
      String.self, Timestamp.self, String?.self, Int64.self, Timestamp.self, Int64.self, Int64.self,
      Int32?.self)
    {
      claimed.append(
        ClaimedOccurrence(
          schedule: schedule, instant: instant, call: call, timeout: .microseconds(timeout),
          claimedAt: claimedAt, due: now - .microseconds(Swift.max(0, late)), began: now, attempt: attempt,
          backend: backend))
    }
    return claimed
  }
}
