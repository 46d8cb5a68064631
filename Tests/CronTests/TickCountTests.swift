import TestSupport
import Testing

@testable import Cron

@Suite("Ticks counted by day") struct TickCountTests {
  /// Changes as zones have had them: an hour at night and at midnight, half an hour, a day that was left out, two
  /// within days, and an hour back at midnight, so that a date comes again.
  private static let zones: [[(Int64, Int64)]] = [
    [(0, 0)], [(0, 0), (90_000, 3600), (300_000, 0)], [(0, -18_000), (104_400, -14_400), (277_200, -18_000)],
    [(0, 37_800), (131_400, 39_600), (300_600, 37_800)], [(0, -36_000), (122_400, 50_400)],
    [(0, 7200), (100_000, 10_800), (140_000, 7200)], [(0, 3600), (169_200, 0)],
  ]
  private static let lines = [
    "0 0 * * *", "30 1 * * *", "0 0,12,23 * * *", "* * * * *", "*/7 * * * * *", "15-45/5 0-3 * * *", "59 59 23 * * *",
    "0 0 1 1 *", "0 */2 2 * *", "10 20 3 1,2 * *", "0 0 3 1 5",
  ]
  private let end: Int64 = 400_000

  private func offsets(_ spans: [(Int64, Int64)]) -> ZoneOffsets {
    ZoneOffsets(spans.map { ZoneOffsets.Span(start: $0.0 - 200_000, offset: $0.1) }, end: end + 1)
  }

  @Test(arguments: lines) func `counted ticks are those that a schedule has, through any change of clocks`(line: String)
    throws
  {
    let cron = try CronExpression(line)
    for spans in Self.zones {
      let offsets = offsets(spans)
      let ticks = Ticks(.cron(cron), offsets)
      for day in offsets.days(from: -20_000, to: 250_000) {
        let all = ticks.first(.max, after: day.start - 1, through: day.end - 1)
        let count = offsets.count(cron, from: day.start, to: day.end)
        #expect(count.ticks == all.count && count.first == all.first?.instant && count.last == all.last?.instant)
        #expect(count.gaps == all.count { $0.note == .gap } && count.folds == all.count { $0.note == .fold })
      }
    }
  }

  @Test func `the days of a zone follow each other without a gap, and begin where its clocks show a new date`() {
    for spans in Self.zones {
      let days = offsets(spans).days(from: -20_000, to: 250_000)
      #expect(days.first?.start == -20_000 && days.last?.end == 250_000)
      for (day, next) in zip(days, days.dropFirst()) { #expect(day.end == next.start && day.start < day.end) }
    }
    let london = ZoneOffsets(
      [.init(start: 1_931_731_200, offset: 0), .init(start: 1_932_598_800, offset: 3600)], end: .max / 4)
    let days = london.days(from: 1_932_508_800, to: 1_932_681_600)
    #expect(days.map(\.date) == ["2031-03-29", "2031-03-30", "2031-03-30", "2031-03-31"])
    #expect(days.map { $0.end - $0.start } == [86_400, 3600, 79_200, 3600])
  }

  @Test func `a line that ticks each second is counted for a century as fast as for a day`() throws {
    let cron = try CronExpression("* * * * * *")
    let century = ZoneOffsets.utc.count(cron, from: 0, to: 36_525 * 86_400)
    #expect(century.ticks == 36_525 * 86_400)
    let none = ZoneOffsets.utc.count(try CronExpression("0 0 29 2 1"), from: 0, to: 86_400)
    #expect(none == TickCount())
  }
}
