import Cron

/// An instant in milliseconds since 1970 UTC, as the daemon writes it: `2031-03-30T23:00:00.000Z`.
package struct Instant: Hashable, Comparable, Sendable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Nil where the text is not in that form, or not a date and time of the calendar.
  package init?(_ text: String) {
    guard text.hasSuffix("Z"), text.utf8.count >= 20, text.utf8.count <= 40 else { return nil }
    let split = text.dropLast().split(omittingEmptySubsequences: false) { "-T:.".contains($0) }
    let numbers = split.compactMap { Int64($0) }
    guard numbers.count == split.count, (6...7).contains(split.count), (0...9999).contains(numbers[0]) else {
      return nil
    }
    guard (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), (0...23).contains(numbers[3]),
      (0...59).contains(numbers[4]), (0...59).contains(numbers[5])
    else { return nil }
    let days = CivilDate(year: Int(numbers[0]), month: Int(numbers[1]), day: Int(numbers[2])).number
    let fraction = split.count == 7 ? Int64((split[6] + "000").prefix(3)) ?? 0 : 0
    milliseconds =
      (days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]) * 1000 + fraction
  }

  package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

  package func advanced(bySeconds seconds: Int64) -> Instant { Instant(milliseconds: milliseconds + seconds * 1000) }

  /// As commands take it: `2031-03-30T23:00:00.000Z`.
  package var text: String {
    let local = PageTime(self, offsetSeconds: 0, abbreviation: "UTC")
    let fraction = Int(milliseconds - milliseconds.floored(to: 1000))
    return local.date + "T" + local.timeWithSeconds + "." + PageTime.padded(fraction, 3) + "Z"
  }
}

extension Int64 {
  /// The greatest multiple of a step that is not greater.
  func floored(to step: Int64) -> Int64 { self - (self % step + step) % step }
}
