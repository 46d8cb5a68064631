import ControlAPI

/// Spans of time that parts ask about. They begin at whole minutes or days, so that parts share an answer.
extension PageState {
  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 86_400_000

  var thisMinute: Instant { Instant(milliseconds: now.milliseconds.floored(to: Self.minute)) }

  func hours(_ count: Int64, from instant: Instant) -> Instant {
    Instant(milliseconds: instant.milliseconds + count * Self.hour)
  }

  /// From the local midnight before so many days up to the coming one, with an hour to spare on each side.
  func span(daysBack: Int64, daysAhead: Int64 = 1) -> (from: Instant, to: Instant) {
    let today = midnight(before: now)
    return (
      midnight(before: Instant(milliseconds: today.milliseconds - daysBack * Self.day + 12 * Self.hour)),
      midnight(before: Instant(milliseconds: today.milliseconds + daysAhead * Self.day + 12 * Self.hour))
    )
  }

  /// The first instant of a local day: of a midnight that occurs twice the first, and of one that the clocks skip the
  /// change.
  func midnight(before instant: Instant) -> Instant {
    func offset(_ instant: Instant) -> Int64 { Int64(zone.span(at: instant).offsetSeconds) * 1_000 }
    let local = (instant.milliseconds + offset(instant)).floored(to: Self.day)
    let offsets = [offset(instant), offset(hours(-24, from: instant))]
    let starts = offsets.map { Instant(milliseconds: local - $0) }
    let real = zip(starts, offsets).filter { offset($0) == $1 && $0 <= instant }.map(\.0)
    return real.min() ?? starts.max() ?? instant
  }

  func arguments(_ from: Instant, _ to: Instant) -> [String: ParameterValue] {
    ["from": .text(from.text), "to": .text(to.text)]
  }

  /// The same with the page's zone.
  func zonedArguments(_ span: (from: Instant, to: Instant)) -> [String: ParameterValue] {
    var arguments = arguments(span.from, span.to)
    arguments["zone"] = .text(zone.name)
    return arguments
  }
}
