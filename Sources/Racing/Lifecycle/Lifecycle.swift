package import Postgres

/// Where a race stands by the clock: the decision of the race-lifecycle job.
///
/// The window is half-open: at ends_at the race has ended. After downtime a race may go from upcoming to ended at once.
/// Pure. Source: Racing.docc/Races.md.
package struct Lifecycle: Hashable, Sendable {
  /// The state of a race, read under its lock.
  package struct Input: Hashable, Sendable {
    package let raceId: Int64
    package let startsAt: Timestamp
    package let endsAt: Timestamp
    package let dueAt: Timestamp
  }

  package let race: Input
  /// Upcoming, active or ended.
  package let status: RaceStatus

  package init(_ race: Input, at now: Timestamp) {
    self.race = race
    status = now >= race.endsAt ? .ended : now >= race.startsAt ? .active : .upcoming
  }
}
