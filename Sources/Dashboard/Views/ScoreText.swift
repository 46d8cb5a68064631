/// A score in the unit of its race's type.
enum ScoreText {
  static func text(_ score: Int64, type: String) -> String {
    switch type {
    case "top_speed": Amount.thousandths(score) + " m/s"
    case "furthest_distance": Amount.hundredths(score) + " m"
    case "fastest_1km", "fastest_5km": Amount.clock(milliseconds: score)
    default: Amount.grouped(score)
    }
  }

  /// How far a score is behind the best one.
  static func gap(_ score: Int64, behind best: Int64, type: String) -> String {
    let (distance, overflow) = score.subtractingReportingOverflow(best)
    guard !overflow, distance != 0 else { return "" }
    return (distance > 0 ? "+" : "") + text(distance, type: type)
  }

  static func typeName(_ type: String) -> String {
    switch type {
    case "top_speed": "top speed"
    case "furthest_distance": "furthest distance"
    case "fastest_1km": "fastest 1 km"
    case "fastest_5km": "fastest 5 km"
    default: type
    }
  }
}
