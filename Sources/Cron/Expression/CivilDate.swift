/// A date of the proleptic Gregorian calendar, and its number of days since 1970-01-01.
package struct CivilDate: Sendable, Hashable, CustomStringConvertible {
  package let number: Int64
  package let year: Int
  package let month: Int
  package let day: Int

  static let longestMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  /// ISO 8601: `2031-03-30`.
  package var description: String {
    let padded = { (value: Int, width: Int) in
      String(repeating: "0", count: max(0, width - "\(value)".count)) + "\(value)"
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// 0 is Sunday.
  package var weekday: Int { Int(((number + 4) % 7 + 7) % 7) }

  /// By eras of 400 years that begin on 1 March.
  package init(number: Int64) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    self.number = number
    self.day = Int(dayOfYear - (153 * month + 2) / 5 + 1)
    self.month = Int(month < 10 ? month + 3 : month - 9)
    year = Int(yearOfEra + era * 400) + (self.month <= 2 ? 1 : 0)
  }

  package init(year: Int, month: Int, day: Int) {
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The first day of the next month.
  var nextMonth: CivilDate {
    month == 12 ? CivilDate(year: year + 1, month: 1, day: 1) : CivilDate(year: year, month: month + 1, day: 1)
  }

  /// The last day of the month before.
  var previousMonthEnd: CivilDate {
    CivilDate(number: CivilDate(year: year, month: month, day: 1).number - 1)
  }
}
