import Cron

extension PageZone {
  /// `14:32`, or `Sat 24 Oct 14:32` where it is not the day of `now`.
  package func short(_ instant: Instant, now: Instant) -> String {
    let (then, today) = (local(instant), local(now))
    if then.day == today.day { return then.time }
    let year = then.day.year == today.day.year ? "" : " \(then.day.year)"
    return "\(then.day.weekdayName) \(then.dayAndMonth)\(year) \(then.time)"
  }

  /// `Sat 24 Oct 2026 14:32:07 BST`.
  package func full(_ instant: Instant) -> String {
    let then = local(instant)
    return "\(then.day.weekdayName) \(then.dayAndMonth) \(then.day.year) \(then.timeWithSeconds) \(then.abbreviation)"
  }
}
