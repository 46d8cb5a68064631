package import Cron

/// An instant on the clocks of a zone.
package struct PageTime: Hashable, Sendable {
  package let day: CivilDate
  package let hour: Int
  package let minute: Int
  package let second: Int
  package let abbreviation: String

  package init(_ instant: Instant, offsetSeconds: Int, abbreviation: String) {
    let seconds = instant.milliseconds.floored(to: 1000) / 1000 + Int64(offsetSeconds)
    let midnight = seconds.floored(to: 86_400)
    let ofDay = Int(seconds - midnight)
    day = CivilDate(number: midnight / 86_400)
    (hour, minute, second) = (ofDay / 3600, ofDay / 60 % 60, ofDay % 60)
    self.abbreviation = abbreviation
  }

  /// `2031-03-30`.
  package var date: String { day.description }

  /// `14:32`.
  package var time: String { Self.padded(hour, 2) + ":" + Self.padded(minute, 2) }

  /// `14:32:07`.
  package var timeWithSeconds: String { time + ":" + Self.padded(second, 2) }

  /// `24 Oct`.
  package var dayAndMonth: String { "\(day.day) \(day.monthName)" }

  static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
