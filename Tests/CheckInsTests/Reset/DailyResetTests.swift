import Postgres
import Testing

@testable import CheckIns

@Suite("The decision of the daily reset") struct DailyResetTests {
  private static func at(_ hours: Int64) -> Timestamp { Timestamp(microseconds: hours * 3_600_000_000) }

  private func decide(_ date: String, _ days: [(String, Int64)], now: Timestamp) throws -> DailyReset {
    try DailyReset(
      .init(
        zone: "Z/Z", date: date, hasEndingStreaks: true, days: days.map { ZoneDay(date: $0.0, start: Self.at($0.1)) }),
      at: now)
  }

  private static let days: [(String, Int64)] = [("2031-03-29", 0), ("2031-03-30", 24), ("2031-03-31", 47)]

  @Test func `a day ends at the first instant of the next, and not a microsecond earlier`() throws {
    let early = try decide("2031-03-29", Self.days, now: Timestamp(microseconds: Self.at(24).microseconds - 1))
    #expect(!early.closes && early.nextDate == "2031-03-29" && early.nextAt == Self.at(24))
    let due = try decide("2031-03-29", Self.days, now: Self.at(24))
    #expect(due.closes && due.date == "2031-03-29" && due.nextDate == "2031-03-30" && due.nextAt == Self.at(47))
  }

  @Test func `one day is closed at a time after downtime`() throws {
    #expect(try decide("2031-03-29", Self.days, now: Self.at(10_000)).nextDate == "2031-03-30")
  }

  @Test func `a date that new time zone data removed is skipped, and not closed`() throws {
    let reset = try decide("2031-03-28", Self.days, now: Self.at(10_000))
    #expect(!reset.closes && reset.nextDate == "2031-03-29" && reset.nextAt == Self.at(24))
  }

  @Test func `fewer than three days are an error, not a trap`() {
    #expect(throws: CheckInsError.self) { try decide("2031-03-29", Array(Self.days.prefix(2)), now: Self.at(0)) }
  }
}
