/// The reading of a wall clock: the seconds since 1970-01-01 00:00 on that clock.
package struct LocalTime: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let seconds: Int64

  package init(seconds: Int64) {
    self.seconds = seconds
  }

  package static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }

  var date: CivilDate { CivilDate(number: seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400) }

  var secondOfDay: Int { Int(seconds - date.number * 86_400) }

  /// ISO 8601 without a zone: `2031-03-30T02:30:00`.
  package var description: String {
    let second = secondOfDay
    let time = [second / 3600, second / 60 % 60, second % 60].map(Self.padded).joined(separator: ":")
    return "\(date)T\(time)"
  }

  private static func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
