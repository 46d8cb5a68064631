extension CronExpression {
  /// The first local time that is not before `from` and not after `through`.
  func first(from: LocalTime, through: LocalTime) -> LocalTime? {
    var date = from.date
    var earliest = from.secondOfDay
    let last = through.date.number
    while date.number <= last {
      if matches(date), let second = second(from: earliest) {
        let found = LocalTime(seconds: date.number * 86_400 + Int64(second))
        return found <= through ? found : nil
      }
      date = hasMonth(date.month) ? CivilDate(number: date.number + 1) : date.nextMonth
      earliest = 0
    }
    return nil
  }

  /// The last local time that is not after `through` and not before `from`.
  func last(through: LocalTime, from: LocalTime) -> LocalTime? {
    var date = through.date
    var latest = through.secondOfDay
    let first = from.date.number
    while date.number >= first {
      if matches(date), let second = second(through: latest) {
        let found = LocalTime(seconds: date.number * 86_400 + Int64(second))
        return found >= from ? found : nil
      }
      date = hasMonth(date.month) ? CivilDate(number: date.number - 1) : date.previousMonthEnd
      latest = 86_399
    }
    return nil
  }

  /// The first matching second of a day from this one on.
  private func second(from earliest: Int) -> Int? {
    var (hour, minute, second) = (earliest / 3600, earliest / 60 % 60, earliest % 60)
    while let found = hours.first(from: hour), found < 24 {
      if found > hour { (minute, second) = (0, 0) }
      hour = found
      while let found = minutes.first(from: minute) {
        if found > minute { second = 0 }
        minute = found
        if let found = seconds.first(from: second) { return hour * 3600 + minute * 60 + found }
        (minute, second) = (minute + 1, 0)
      }
      (hour, minute, second) = (hour + 1, 0, 0)
    }
    return nil
  }

  /// The last matching second of a day up to this one.
  private func second(through latest: Int) -> Int? {
    var (hour, minute, second) = (latest / 3600, latest / 60 % 60, latest % 60)
    while let found = hours.last(through: hour) {
      if found < hour { (minute, second) = (59, 59) }
      hour = found
      while let found = minutes.last(through: minute) {
        if found < minute { second = 59 }
        minute = found
        if let found = seconds.last(through: second) { return hour * 3600 + minute * 60 + found }
        (minute, second) = (minute - 1, 59)
      }
      (hour, minute, second) = (hour - 1, 59, 59)
    }
    return nil
  }
}
