import Cron

extension CivilDate {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `2031-03-30`, as answers have it; nil in another form.
  init?(_ text: String) {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard numbers.count == 3, (0...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2])
    else { return nil }
    self.init(year: numbers[0], month: numbers[1], day: numbers[2])
  }

  var weekdayName: String { Self.weekdays[weekday] }

  var monthName: String { Self.months[month - 1] }
}
