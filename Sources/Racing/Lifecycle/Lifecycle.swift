package import Postgres

/// Where a race stands by the clock: the decision of the race-lifecycle job.
///
/// The window is half-open: at ends_at the race has ended. After downtime a race may go from upcoming to ended at once.
/// Source: rules/racing.md, Races.
package enum Lifecycle {
  package enum Status: String, Sendable {
    case upcoming, active, ended
  }

  package static func status(startsAt: Timestamp, endsAt: Timestamp, now: Timestamp) -> Status {
    if now >= endsAt { return .ended }
    return now >= startsAt ? .active : .upcoming
  }
}
