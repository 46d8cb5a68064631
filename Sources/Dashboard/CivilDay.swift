/// A day of the proleptic Gregorian calendar.
package struct CivilDay: Hashable, Comparable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int

  package init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Days since 1970-01-01. The arithmetic counts years from 1 March.
  package init(number: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// `2031-03-30`, as answers have it; nil in another form.
  package init?(_ text: String) {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard numbers.count == 3, (0...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2])
    else { return nil }
    self.init(year: numbers[0], month: numbers[1], day: numbers[2])
  }

  package var number: Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// 0 for Monday.
  package var weekday: Int { ((number + 3) % 7 + 7) % 7 }

  package var weekdayName: String { ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][weekday] }

  package var monthName: String {
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
  }

  package static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }
}
