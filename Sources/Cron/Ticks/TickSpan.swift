/// A span of constant offset, and how clocks stood before and will stand after it.
///
/// Source: Cron.docc/ClockChanges.md.
struct TickSpan {
  let start: Int64
  let end: Int64
  let offset: Int64
  let before: Int64?
  let after: Int64?

  /// The one tick at the span's start for all fixed times in the gap before it; nil where there are none.
  func gapTick(_ cron: CronExpression) -> Tick? {
    guard let before, before < offset, cron.isFixedTime else { return nil }
    let local = cron.first(
      from: LocalTime(seconds: start + before), through: LocalTime(seconds: start + offset - 1))
    return local.map { Tick(instant: start, local: $0, note: .gap) }
  }

  func first(_ cron: CronExpression, from low: Int64, through high: Int64) -> Tick? {
    let low = max(low, floor(cron))
    guard low <= high else { return nil }
    return cron.first(from: LocalTime(seconds: low + offset), through: LocalTime(seconds: high + offset)).map(tick)
  }

  func last(_ cron: CronExpression, from low: Int64, through high: Int64) -> Tick? {
    let low = max(low, floor(cron))
    guard low <= high else { return nil }
    return cron.last(through: LocalTime(seconds: high + offset), from: LocalTime(seconds: low + offset)).map(tick)
  }

  /// A fixed time that clocks show once more has had its tick.
  func floor(_ cron: CronExpression) -> Int64 {
    guard let before, before > offset, cron.isFixedTime else { return start }
    return start + before - offset
  }

  private func tick(_ local: LocalTime) -> Tick {
    let instant = local.seconds - offset
    let isSecond = before.map { $0 > offset && instant < start + $0 - offset } ?? false
    let isFirst = after.map { $0 < offset && instant >= end - (offset - $0) } ?? false
    return Tick(instant: instant, local: local, note: isFirst || isSecond ? .fold : nil)
  }
}
