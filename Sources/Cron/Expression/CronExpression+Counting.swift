extension CronExpression {
  /// How many local times match from one to another, both included.
  func count(from low: LocalTime, through high: LocalTime) -> Int64 {
    var (count, date) = (Int64(0), low.date)
    let last = high.date.number
    while date.number <= last {
      if matches(date) {
        let earliest = date.number == low.date.number ? low.secondOfDay : 0
        let latest = date.number == last ? high.secondOfDay : 86_399
        count += seconds(from: earliest, through: latest)
      }
      date = hasMonth(date.month) ? CivilDate(number: date.number + 1) : date.nextMonth
    }
    return count
  }

  /// How many seconds of a day match from one to another, both included.
  private func seconds(from low: Int, through high: Int) -> Int64 {
    let (hour, lastHour) = (low / 3600, high / 3600)
    return (hour...lastHour).filter(hours.contains).reduce(Int64(0)) { count, hour in
      let (start, end) = (hour * 3600, hour * 3600 + 3599)
      if low <= start, end <= high { return count + Int64(minutes.count * seconds.count) }
      return count + minutesOf(hour, from: max(low, start), through: min(high, end))
    }
  }

  private func minutesOf(_ hour: Int, from low: Int, through high: Int) -> Int64 {
    (low / 60 % 60...high / 60 % 60).filter(minutes.contains).reduce(Int64(0)) { count, minute in
      let start = hour * 3600 + minute * 60
      return count + Int64(seconds.count(from: max(0, low - start), through: min(59, high - start)))
    }
  }
}
