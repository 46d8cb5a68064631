/// A date on clocks of a zone, or the part of it that lies in a range and in one span of constant offset.
package struct LocalDay: Sendable, Equatable {
  /// ISO 8601: `2031-03-30`.
  package let date: String
  /// Seconds since 1970 in UTC; `end` is not in it.
  package let start: Int64
  package let end: Int64
}

extension ZoneOffsets {
  /// The days from one second to another, the last one not included: each starts where the one before it ends.
  ///
  /// A day in which clocks change has two parts, and a date that clocks show again after another one has more.
  package func days(from low: Int64, to high: Int64) -> [LocalDay] {
    tickSpans.flatMap { span in
      let (low, high) = (max(low, span.start), min(high, span.end))
      var (days, start) = ([LocalDay](), low)
      while start < high {
        let date = LocalTime(seconds: start + span.offset).date
        let end = min(high, (date.number + 1) * 86_400 - span.offset)
        days.append(LocalDay(date: date.description, start: start, end: end))
        start = end
      }
      return days
    }
  }

  /// The spans with their neighbours.
  var tickSpans: [TickSpan] {
    spans.indices.map { index in
      let next = index + 1 < spans.count ? spans[index + 1] : nil
      return TickSpan(
        start: spans[index].start, end: next?.start ?? end, offset: spans[index].offset,
        before: index > 0 ? spans[index - 1].offset : nil, after: next?.offset)
    }
  }
}
