import Postgres

/// An occurrence that this node marked as running.
struct ClaimedOccurrence: Sendable {
  let id: Int64
  let schedule: String
  let instant: Timestamp
  /// The function that operators named; nil for the daemon's own schedules.
  let call: String?
  let timeout: Duration
  /// Real time: tells this claim from a later one.
  let claimedAt: Timestamp
}
