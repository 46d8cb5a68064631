/// How many ticks a range has, counted field by field: the work does not grow with the ticks.
package struct TickCount: Sendable, Equatable {
  package var ticks: Int64 = 0
  /// Seconds since 1970 in UTC; nil where there are none.
  package var first: Int64?
  package var last: Int64?
  /// Ticks at the end of a gap.
  package var gaps: Int64 = 0
  /// Ticks whose local time exists twice.
  package var folds: Int64 = 0

  package init() {}

  /// Adds a later range.
  package mutating func add(_ other: TickCount) {
    ticks += other.ticks
    first = first ?? other.first
    last = other.last ?? last
    gaps += other.gaps
    folds += other.folds
  }
}

extension ZoneOffsets {
  /// The ticks of an expression from one second to another, the last one not included.
  ///
  /// These offsets must begin a day or more before `low`, so that a fold under way is known.
  package func count(_ cron: CronExpression, from low: Int64, to high: Int64) -> TickCount {
    var count = TickCount()
    for span in tickSpans where span.end > low && span.start < high {
      count.add(span.count(cron, from: max(low, span.start), through: min(high, span.end) - 1))
    }
    return count
  }
}

extension TickSpan {
  fileprivate func count(_ cron: CronExpression, from low: Int64, through high: Int64) -> TickCount {
    var count = TickCount()
    var low = low
    if low == start, let gap = gapTick(cron) {
      count.ticks = 1
      count.gaps = 1
      (count.first, count.last) = (gap.instant, gap.instant)
      low += 1
    }
    count.ticks += ticks(cron, from: low, through: high)
    count.first = count.first ?? first(cron, from: low, through: high)?.instant
    count.last = last(cron, from: low, through: high)?.instant ?? count.last
    for fold in folds {
      count.folds += ticks(cron, from: max(low, fold.lowerBound), through: min(high, fold.upperBound - 1))
    }
    return count
  }

  /// Seconds of this span whose local time exists twice: those after a change, and those before one.
  private var folds: [Range<Int64>] {
    var folds: [Range<Int64>] = []
    if let before, before > offset { folds.append(start..<min(end, start + before - offset)) }
    if let after, after < offset { folds.append(max(folds.last?.upperBound ?? start, end - (offset - after))..<end) }
    return folds
  }

  private func ticks(_ cron: CronExpression, from low: Int64, through high: Int64) -> Int64 {
    let low = max(low, floor(cron))
    guard low <= high else { return 0 }
    return cron.count(from: LocalTime(seconds: low + offset), through: LocalTime(seconds: high + offset))
  }
}
