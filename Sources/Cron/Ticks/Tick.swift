/// An instant at which a schedule ticks.
package struct Tick: Sendable, Equatable {
  package enum Note: String, Sendable {
    /// The local time does not exist: the tick comes at the end of the gap.
    case gap
    /// The local time exists twice.
    case fold
  }

  /// Seconds since 1970 in UTC.
  package let instant: Int64
  /// The local time that the expression names; the first where several come to one instant.
  package let local: LocalTime
  package let note: Note?

  package init(instant: Int64, local: LocalTime, note: Note? = nil) {
    self.instant = instant
    self.local = local
    self.note = note
  }
}
