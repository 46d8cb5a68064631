/// Instants of the daemon, `2031-03-30T23:00:00.000Z`, for people.
enum Instants {
  /// `2031-03-30 23:00:00Z`; other texts stay unchanged.
  static func text(_ instant: String?) -> String {
    guard let instant else { return "-" }
    guard seconds(instant) != nil, let split = instant.firstIndex(of: "T") else { return instant }
    return instant[..<split] + " " + instant[split...].dropFirst().prefix(8) + "Z"
  }

  /// `in 5m`, `2h ago`, seen from another instant; the instant itself if either cannot be read.
  static func relative(_ instant: String?, to now: String) -> String {
    guard let instant else { return "-" }
    guard let then = seconds(instant), let now = seconds(now) else { return instant }
    let distance = then - now
    if abs(distance) < 1 { return "now" }
    return distance > 0 ? "in \(span(distance))" : "\(span(-distance)) ago"
  }

  /// The two largest units: `45s`, `3m`, `2h5m`, `3d4h`.
  static func span(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)m"
    case ..<86_400: seconds / 60 % 60 == 0 ? "\(seconds / 3600)h" : "\(seconds / 3600)h\(seconds / 60 % 60)m"
    default:
      seconds / 3600 % 24 == 0 ? "\(seconds / 86_400)d" : "\(seconds / 86_400)d\(seconds / 3600 % 24)h"
    }
  }

  /// How long something took: `120ms`, `45s`, `3m`; a dash where it has not ended.
  static func took(from start: String?, to end: String?) -> String {
    guard let start, let end, let from = seconds(start), let to = seconds(end) else { return "-" }
    let milliseconds = (to - from) * 1000 + fraction(end) - fraction(start)
    return milliseconds < 1000 ? "\(max(0, milliseconds))ms" : span(milliseconds / 1000)
  }

  /// The milliseconds of an instant within its second.
  private static func fraction(_ instant: String) -> Int {
    guard let dot = instant.firstIndex(of: ".") else { return 0 }
    return Int(instant[instant.index(after: dot)...].prefix(3)) ?? 0
  }

  /// Seconds since 1970; nil if it is not in that form.
  private static func seconds(_ instant: String) -> Int? {
    guard instant.hasSuffix("Z"), instant.utf8.count >= 20 else { return nil }
    let numbers = instant.dropLast().split { "-T:.".contains($0) }.compactMap { Int($0) }
    guard numbers.count >= 6 else { return nil }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    // Days of the proleptic Gregorian calendar, in years that begin on 1 March.
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    return days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
  }
}
