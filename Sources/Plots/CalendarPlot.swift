package import Markup

/// A year of days, a column for each week, Monday on top.
package struct CalendarPlot: Sendable {
  package struct Day: Sendable {
    /// Days since 1 January 1970 in the Gregorian calendar.
    package let number: Int64
    package let month: Int
    package let day: Int
    /// 0 (nothing) to 4 (the most).
    package let level: Int
    /// A day on which clocks change for a tick, or which failed.
    package let mark: Tone?
    package let title: String

    package init(number: Int64, month: Int, day: Int, level: Int, mark: Tone? = nil, title: String) {
      (self.number, self.month, self.day) = (number, month, day)
      (self.level, self.mark, self.title) = (min(4, max(0, level)), mark, title)
    }
  }

  private let label: String
  private let days: [Day]
  private static let daysMax = 400
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `days`: in order; those beyond the first 400 are left out.
  package init(label: String, days: [Day]) {
    (self.label, self.days) = (label, Array(days.prefix(Self.daysMax)))
  }

  package var svg: HTML {
    guard let first = days.first else {
      return SVG.nothing("no days", width: 740, label: label)
    }
    // Day 4, a Monday, begins a week.
    let start = first.number - Self.weekday(first.number)
    var drawn: [HTML] = ["Mon", "Wed", "Fri"].enumerated().map { index, name in
      SVG.text(name, x: 0, y: 25 + 24 * Double(index))
    }
    var (month, weeks) = (0, 0)
    for day in days {
      let (week, row) = Int(day.number - start).quotientAndRemainder(dividingBy: 7)
      guard (0...60).contains(week), (0...6).contains(row) else { continue }
      let (x, y) = (28 + 12.5 * Double(week), 16 + 12 * Double(row))
      weeks = max(weeks, week + 1)
      if day.month != month, day.day <= 7 || month == 0, (1...12).contains(day.month) {
        if day.day <= 7 { drawn.append(SVG.text(Self.months[day.month - 1], x: x, y: 10)) }
        month = day.month
      }
      drawn.append(
        SVG.rectangle(
          x: x, y: y, width: 11, height: 10.5, day.mark.map { "c\(day.level) edge \($0.rawValue)" } ?? "c\(day.level)",
          title: day.title))
    }
    return SVG.drawing(28 + 12.5 * Double(weeks) + 4, 104, label: label, classes: "plot calendar", drawn)
  }

  /// 0 for Monday; day 0 was a Thursday.
  private static func weekday(_ number: Int64) -> Int64 { ((number + 3) % 7 + 7) % 7 }
}
