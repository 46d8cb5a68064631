import Cron
import TestSupport
import Testing

@Suite("A step of planning") struct PlanTests {
  private func ticks(_ cron: String) throws -> Ticks { Ticks(.cron(try CronExpression(cron)), .utc) }

  @Test func `planning omits no tick and plans none twice, in steps of any size`() throws {
    var draw = SeededGenerator()
    for cron in ["* * * * *", "*/7 * * * *", "0 3 * * *", "*/5 * * * * *"] {
      let ticks = try ticks(cron)
      let end = Int64.random(in: 10_000...400_000, using: &draw)
      var (cursor, now) = (Int64(0), Int64(0))
      var seen: [Int64] = []
      let policy =
        [MissedPolicy.skip, .once, .all(max: 3, within: .seconds(5000))].randomElement(using: &draw) ?? .once
      while cursor < end {
        if cursor >= now { now = min(end, now + Int64.random(in: 1...50_000, using: &draw)) }
        let plan = Plan(ticks, missed: policy, after: cursor, now: now * 1_000_000, ticksMax: 100)
        #expect(plan.next.map { $0 > plan.cursor } ?? true)
        seen += plan.ticks.map(\.tick.instant)
        cursor = plan.cursor
      }
      #expect(seen == ticks.first(.max, after: 0, through: end).map(\.instant), "\(cron), \(draw)")
    }
  }

  @Test func `planning divides a large catch-up into pieces, all of which run`() throws {
    let ticks = try ticks("* * * * * *")
    let policy = MissedPolicy.all(max: 12_000, within: .seconds(50_000))
    var (cursor, steps) = (Int64(0), 0)
    var seen: [PlannedTick] = []
    while cursor < 20_000 {
      let plan = Plan(ticks, missed: policy, after: cursor, now: 20_000_000_000)
      #expect(plan.ticks.count <= 2 * Plan.ticksMax)
      seen += plan.ticks
      (cursor, steps) = (plan.cursor, steps + 1)
    }
    #expect(seen.map(\.tick.instant) == Array(1...20_000) && steps >= 3)
    // Of what was missed twelve thousand run, and what is younger than a minute besides.
    #expect(seen.filter { $0.status == .planned }.map(\.tick.instant) == Array(7940...20_000))
  }

  @Test func `a tick counts as missed from more than 60 s after its instant`() throws {
    for (late, status) in [(60_000_000, .planned), (60_000_001, .skipped)] as [(Int64, PlannedTick.Status)] {
      let plan = Plan(try ticks("0 3 * * *"), missed: .skip, after: 0, now: 3 * 3_600_000_000 + late)
      #expect(plan.ticks.map(\.status) == [status])
    }
  }

  @Test func `a tick in time is skipped while an earlier run is active, and not otherwise`() throws {
    let instant = 3 * 3_600_000_000 as Int64
    for (start, end, status) in [
      (instant - 5, nil, PlannedTick.Status.skipped), (instant, instant + 1, .skipped),
      (instant - 5, instant, .planned),
      (instant + 1, nil, .planned),
    ] as [(Int64, Int64?, PlannedTick.Status)] {
      let plan = Plan(
        try ticks("0 3 * * *"), missed: .skip, after: 0, now: instant + 10_000_000,
        runs: [Plan.Run(start: start, end: end)])
      #expect(plan.ticks.map(\.status) == [status])
    }
  }

  @Test func `a one-shot schedule ticks once`() {
    let ticks = Ticks(.once(1000), .utc)
    let first = Plan(ticks, missed: .once, after: 0, now: 999_000_000)
    #expect(first.ticks.isEmpty && first.next == 1000)
    let second = Plan(ticks, missed: .once, after: first.cursor, now: 1000_000_000)
    #expect(second.ticks.map(\.tick.instant) == [1000] && second.next == nil)
  }

  @Test func `a schedule waits a stable part of its splay`() {
    let delays = (0..<200).map { Splay.delay(of: "schedule \($0)", within: .seconds(600)) }
    #expect(delays.allSatisfy { $0 >= .zero && $0 < .seconds(600) })
    #expect(Set(delays).count > 150)
    #expect(Splay.delay(of: "a", within: .zero) == .zero)
    #expect(Splay.delay(of: "nightly", within: .seconds(3600)) == Splay.delay(of: "nightly", within: .seconds(3600)))
  }
}
