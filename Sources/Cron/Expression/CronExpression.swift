/// When a schedule ticks, in cron's form: five fields, or six with the seconds first.
///
/// `minute hour day-of-month month day-of-week` with lists, ranges, steps and names; or one of the nicknames, such as
/// `@daily`. As in Debian's cron a day must match both of its fields when one of them starts with a star, and else
/// either. Source: Cron.docc/Expressions.md.
package struct CronExpression: Sendable, Hashable {
  package let text: String
  let seconds: CronField
  let minutes: CronField
  let hours: CronField
  private let days: CronField
  private let months: CronField
  private let weekdays: CronField

  /// It names times of the day, instead of a cadence: neither minute nor hour starts with a star.
  ///
  /// Such a tick is wanted once a day: it comes at the end of a gap that swallows it, and in a fold at the first of the
  /// two instants. All others keep their cadence in real time.
  package var isFixedTime: Bool { !minutes.startsWithStar && !hours.startsWithStar }

  private static let nicknames = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]
  private static let longest = 1000

  package init(_ text: String) throws(ScheduleError) {
    self.text = text
    guard text.utf8.count <= Self.longest else {
      throw ScheduleError(.cron, position: Self.longest, "the expression is longer than \(Self.longest) bytes")
    }
    var words = Self.words(text)
    if let first = words.first, first.text.hasPrefix("@") {
      guard words.count == 1, let long = Self.nicknames[first.text.lowercased()] else {
        let known = Self.nicknames.keys.sorted().joined(separator: " ")
        throw ScheduleError(.cron, position: first.position, "an expression that begins with @ must be one of \(known)")
      }
      words = Self.words(long)
    }
    if let first = words.first, ["CRON_TZ=", "TZ="].contains(where: first.text.hasPrefix) {
      throw ScheduleError(.cron, position: first.position, "the expression cannot contain a time zone: use --zone")
    }
    guard words.count == 5 || words.count == 6 else {
      throw ScheduleError(
        .cron, position: words.count > 6 ? words[6].position : text.count + 1,
        "5 fields are required, or 6 with seconds first; this expression has \(words.count)")
    }
    if words.count == 5 { words.insert(("0", 1), at: 0) }
    var fields: [CronField] = []
    for (word, kind) in zip(words, CronFieldKind.allCases) {
      fields.append(try CronField(word.text, as: kind, position: word.position))
    }
    (seconds, minutes, hours) = (fields[0], fields[1], fields[2])
    (days, months, weekdays) = (fields[3], fields[4], fields[5])
    if needsBothDays, !hasDate {
      throw ScheduleError(.cron, position: words[3].position, "the day does not exist in any of the months")
    }
  }

  /// Whether the days of a date match.
  func matches(_ date: CivilDate) -> Bool {
    guard months.contains(date.month) else { return false }
    let (day, weekday) = (days.contains(date.day), weekdays.contains(date.weekday))
    return needsBothDays ? day && weekday : day || weekday
  }

  func hasMonth(_ month: Int) -> Bool { months.contains(month) }

  private var needsBothDays: Bool { days.startsWithStar || weekdays.startsWithStar }

  /// Whether any month has any of the days.
  private var hasDate: Bool {
    let longest = (1...12).filter(months.contains).map { CivilDate.longestMonth[$0 - 1] }.max() ?? 0
    return (days.first(from: 1) ?? 32) <= longest
  }

  private static func words(_ text: String) -> [(text: Substring, position: Int)] {
    text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map {
      ($0, text.distance(from: text.startIndex, to: $0.startIndex) + 1)
    }
  }
}
