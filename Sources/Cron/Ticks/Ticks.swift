/// The ticks of a schedule in a range of time, by the zone's offsets: pure.
///
/// Within a span of constant offset, local and real time run alike, so ticks come in their order without any search.
/// Special cases lie where a span begins: clocks jump ahead over a gap, or go back and repeat a fold.
package struct Ticks: Sendable {
  let timing: Timing
  let offsets: ZoneOffsets

  /// `offsets` must begin a day or more before any instant that is asked for, so that a fold under way is known.
  package init(_ timing: Timing, _ offsets: ZoneOffsets) {
    self.timing = timing
    self.offsets = offsets
  }

  /// The first `limit` ticks later than `after` and not later than `through` (seconds).
  package func first(_ limit: Int, after: Int64, through: Int64) -> [Tick] {
    guard case .cron(let cron) = timing else { return once(after: after, through: through, limit) }
    var found: [Tick] = []
    for span in offsets.tickSpans where span.end > after + 1 && span.start <= through {
      var low = max(span.start, after + 1)
      let high = min(span.end - 1, through)
      if low == span.start, let tick = span.gapTick(cron) {
        found.append(tick)
        low += 1
      }
      while low <= high, found.count < limit, let tick = span.first(cron, from: low, through: high) {
        found.append(tick)
        low = tick.instant + 1
      }
      if found.count >= limit { return Array(found.prefix(limit)) }
    }
    return found
  }

  /// The last `limit` ticks of the same range, ascending.
  package func last(_ limit: Int, after: Int64, through: Int64) -> [Tick] {
    guard case .cron(let cron) = timing else { return once(after: after, through: through, limit) }
    var found: [Tick] = []
    for span in offsets.tickSpans.reversed() where span.end > after + 1 && span.start <= through {
      let low = max(span.start, after + 1)
      var high = min(span.end - 1, through)
      let gap = low == span.start ? span.gapTick(cron) : nil
      let floor = gap == nil ? low : low + 1
      while floor <= high, found.count < limit, let tick = span.last(cron, from: floor, through: high) {
        found.append(tick)
        high = tick.instant - 1
      }
      if let gap, found.count < limit { found.append(gap) }
      if found.count >= limit { break }
    }
    return found.reversed()
  }

  private func once(after: Int64, through: Int64, _ limit: Int) -> [Tick] {
    guard case .once(let instant) = timing, after < instant, instant <= through, limit > 0 else { return [] }
    return [Tick(instant: instant, local: LocalTime(seconds: instant))]
  }
}
