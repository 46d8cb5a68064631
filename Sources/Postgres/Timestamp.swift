/// An instant with PostgreSQL's resolution.
///
/// Microseconds since 1970-01-01T00:00:00Z, as `timestamptz` keeps it (there counted from 2000). Never a
/// floating-point number, so that equal instants are equal.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let microseconds: Int64

  package init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }

  /// The instant `span` later; nil where that is outside of what PostgreSQL can keep.
  package func advanced(by span: Duration) -> Timestamp? {
    let (seconds, attoseconds) = span.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return nil }
    let (delta, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    let (sum, past) = microseconds.addingReportingOverflow(delta)
    return carry || past ? nil : Timestamp(microseconds: sum)
  }

  /// The time from `earlier` to this instant, negative when `earlier` is later.
  package func since(_ earlier: Timestamp) -> Duration {
    .microseconds(microseconds - earlier.microseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC with milliseconds, cut not rounded: `2024-10-15T10:30:00.000Z`.
  package var description: String {
    let (days, ofDay) = Self.floored(microseconds, by: 86_400_000_000)
    let (year, month, day) = Self.civil(daysSince1970: days)
    let milliseconds = ofDay / 1000
    let time = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60]
      .map { Self.padded($0, 2) }.joined(separator: ":")
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T\(time)"
      + ".\(Self.padded(milliseconds % 1000, 3))Z"
  }

  private static func floored(_ value: Int64, by unit: Int64) -> (Int64, Int64) {
    let remainder = value % unit
    return remainder < 0 ? (value / unit - 1, remainder + unit) : (value / unit, remainder)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The proleptic Gregorian date of a day number, by eras of 400 years that begin on 1 March.
  private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floored(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
