/// The unit that a field of a cron expression counts.
enum CronFieldKind: String, CaseIterable {
  case second, minute, hour
  case day = "day of month"
  case month
  case weekday = "day of week"

  var bounds: ClosedRange<Int> {
    switch self {
    case .second, .minute: 0...59
    case .hour: 0...23
    case .day: 1...31
    case .month: 1...12
    case .weekday: 0...7
    }
  }

  /// Names that stand for numbers, in lower case.
  private var names: [String] {
    switch self {
    case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    default: []
    }
  }

  /// The number that a name stands for.
  func number(named name: String) -> Int? {
    names.firstIndex(of: name.lowercased()).map { $0 + bounds.lowerBound }
  }
}
