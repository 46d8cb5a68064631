import TextCoding

/// A score of a race as its sport writes it.
enum Score {
  /// `score` is in the unit of the race's type: mm/s, cm, or ms. `4.500 m/s`, `6000.00 m`, `12:34.567`.
  static func text(_ score: Int64, type: String) -> String {
    switch type {
    case "top_speed": decimal(score, places: 3) + " m/s"
    case "furthest_distance": decimal(score, places: 2) + " m"
    case "fastest_1km", "fastest_5km": time(milliseconds: score)
    default: String(score)
    }
  }

  /// The value in the JSON: a number, or nothing.
  static func text(_ score: JSONValue?, type: String) -> String {
    if case .integer(let score)? = score { text(score, type: type) } else { score?.shown ?? "-" }
  }

  /// `30:00`, `1:02:03`.
  static func time(seconds: Int64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let rest = twoDigits(seconds % 60)
    return hours == 0 ? "\(minutes):\(rest)" : "\(hours):\(twoDigits(minutes)):\(rest)"
  }

  private static func time(milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1000)
    return time(seconds: milliseconds / 1000) + "." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }

  private static func decimal(_ number: Int64, places: Int) -> String {
    let digits = String(number.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
  }
}
