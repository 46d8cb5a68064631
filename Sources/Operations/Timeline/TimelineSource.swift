package import Postgres

/// A source of marks of the timeline: the statements of one module for one lane.
package struct TimelineSource: Sendable {
  package enum Lane: String, Sendable, CaseIterable {
    case races, holds, days, schedules, jobs, calls
  }

  package let lane: Lane
  /// The marks that lie in a range, with the columns of `TimelineStatements.columns`.
  ///
  /// Its plan scans an index by time: a range without marks costs nothing.
  package let marks: @Sendable (InstantRange) -> Statement

  package init(_ lane: Lane, marks: @escaping @Sendable (InstantRange) -> Statement) {
    self.lane = lane
    self.marks = marks
  }
}
