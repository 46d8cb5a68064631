/// One step of planning: the ticks in (cursor, now] that become rows, and where the cursor then stands.
///
/// Pure: a function of the schedule, its cursor, the time and the zone's offsets. After weeks of downtime a schedule
/// that ticks each second has a million ticks: a step takes at most `ticksMax` that do not run, or as many of the rest.
package struct Plan: Sendable, Equatable {
  /// A run of the same schedule, planned earlier: from its start to its end, nil while it runs (microseconds).
  package struct Run: Sendable, Equatable {
    package let start: Int64
    package let end: Int64?

    package init(start: Int64, end: Int64?) {
      self.start = start
      self.end = end
    }

    func goesOn(at second: Int64) -> Bool {
      start <= second * 1_000_000 && end.map { second * 1_000_000 < $0 } ?? true
    }
  }

  package let ticks: [PlannedTick]
  /// Every tick up to this second has its row.
  package let cursor: Int64
  /// The first tick after the cursor, as far as the offsets reach.
  package let next: Int64?

  package static let ticksMax = 5000

  /// `now` is in microseconds since 1970, `cursor` in seconds.
  package init(
    _ ticks: Ticks, missed policy: MissedPolicy, after cursor: Int64, now: Int64, runs: [Run] = [],
    ticksMax: Int = Plan.ticksMax
  ) {
    let second = Self.second(now)
    let missedThrough = Self.second(now - MissedPolicy.secondsMax * 1_000_000 - 1)
    let tail = ticks.last(policy.runsMax, after: cursor, through: max(cursor, missedThrough)).map(\.instant)
    let firstToRun = policy.firstToRun(of: tail, now: now)
    let lost = ticks.first(
      ticksMax + 1, after: cursor, through: max(cursor, firstToRun.map { $0 - 1 } ?? missedThrough))
    var planned = lost.prefix(ticksMax).map { Self.lost($0, policy, now: now) }
    if lost.count > ticksMax {
      self.cursor = lost[ticksMax - 1].instant
    } else {
      let reached = max(cursor, firstToRun.map { $0 - 1 } ?? missedThrough)
      let rest = ticks.first(ticksMax + 1, after: reached, through: second)
      for tick in rest.prefix(ticksMax) {
        let isMissed = tick.instant <= missedThrough
        let overlaps = !isMissed && runs.contains { $0.goesOn(at: tick.instant) }
        planned.append(overlaps ? PlannedTick(tick, .skipped, "overlap") : PlannedTick(tick, .planned))
      }
      self.cursor = rest.count > ticksMax ? rest[ticksMax - 1].instant : max(cursor, second)
    }
    self.ticks = planned
    next = ticks.first(1, after: self.cursor, through: ticks.offsets.end - 1).first?.instant
  }

  private static func lost(_ tick: Tick, _ policy: MissedPolicy, now: Int64) -> PlannedTick {
    switch policy {
    case .skip: PlannedTick(tick, .skipped, "missed")
    case .once: PlannedTick(tick, .coalesced, "missed: a later tick runs")
    case .all(let max, let within):
      !policy.isWithin(tick.instant, now: now)
        ? PlannedTick(tick, .skipped, "missed: older than \(TimeSpan.text(within))")
        : PlannedTick(tick, .skipped, "missed: more than \(max)")
    }
  }

  /// The whole second at or before an instant.
  private static func second(_ microseconds: Int64) -> Int64 {
    let whole = microseconds / 1_000_000
    return whole * 1_000_000 > microseconds ? whole - 1 : whole
  }
}
