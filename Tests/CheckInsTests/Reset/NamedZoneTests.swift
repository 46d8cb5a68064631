import Postgres
import TestSupport
import Testing

/// A zone and a span in which its clocks do something odd.
private struct Oddity: Sendable, CustomTestStringConvertible {
  let zone: String
  let from: String
  let to: String
  var testDescription: String { "\(zone) \(from)" }

  static let all = [
    Oddity(zone: "Africa/Cairo", from: "2024-04-23T12:00:00Z", to: "2024-04-29T12:00:00Z"),
    Oddity(zone: "Africa/Cairo", from: "2024-10-29T12:00:00Z", to: "2024-11-03T12:00:00Z"),
    Oddity(zone: "Asia/Beirut", from: "2024-03-28T12:00:00Z", to: "2024-04-02T12:00:00Z"),
    Oddity(zone: "America/Santiago", from: "2024-09-05T12:00:00Z", to: "2024-09-10T12:00:00Z"),
    Oddity(zone: "America/Havana", from: "2024-03-07T12:00:00Z", to: "2024-03-12T12:00:00Z"),
    Oddity(zone: "America/Havana", from: "2024-10-31T12:00:00Z", to: "2024-11-05T12:00:00Z"),
    Oddity(zone: "Pacific/Apia", from: "2011-12-27T12:00:00Z", to: "2012-01-02T12:00:00Z"),
    Oddity(zone: "America/St_Johns", from: "2006-10-26T12:00:00Z", to: "2006-11-01T12:00:00Z"),
    Oddity(zone: "America/St_Johns", from: "2006-03-30T12:00:00Z", to: "2006-04-04T12:00:00Z"),
    Oddity(zone: "Europe/London", from: "2031-03-28T12:00:00Z", to: "2031-04-01T12:00:00Z"),
    Oddity(zone: "Europe/London", from: "2031-10-24T12:00:00Z", to: "2031-10-29T12:00:00Z"),
  ]
}

@Suite("The days of a zone") struct NamedZoneTests {
  /// Each date of the span with the instant at which it ends, by zoneinfo.
  private static func calendar(_ oddity: Oddity) async throws -> [(date: String, end: String)] {
    try await Oracle.run("check_ins.py", ["days", oddity.zone, oddity.from, oddity.to]).split(separator: "\n").map {
      let words = $0.split(separator: " ").map(String.init)
      return (words[0], words[1])
    }
  }

  @Test(arguments: Oddity.all)
  private func `the days of a zone close at the first instant of the next day, not a second earlier`(_ oddity: Oddity)
    async throws
  {
    let habit = try await Habit(at: oddity.from)
    try await habit.onboard("ann", oddity.zone)
    var closed: [String] = []
    for (date, end) in try await Self.calendar(oddity) {
      try await habit.session.execute("SELECT settled.set_clock(\(end)::text::timestamptz - interval '1 second')")
      #expect(try await habit.reset() == 0, "\(date) a second before its end")
      try await habit.clock(end)
      #expect(try await habit.reset() == 1, "\(date) at its end")
      closed.append("\(date) 0 0")
      #expect(try await habit.days(oddity.zone) == closed)
    }
    #expect(closed.count >= 4)
    try await habit.checkDays()
  }

  @Test(arguments: Oddity.all)
  private func `the days of a zone close once each, in order, with their own totals, after downtime`(_ oddity: Oddity)
    async throws
  {
    let habit = try await Habit(at: oddity.from)
    for user in ["daily", "once", "never"] { try await habit.onboard(user, oddity.zone) }
    var wanted: [String] = []
    for (place, (date, end)) in try await Self.calendar(oddity).enumerated() {
      #expect(try await habit.submit("daily") == date)
      if place == 1 { try await habit.submit("once") }
      // A person who came once is missed on the day after.
      wanted.append("\(date) \(place == 1 ? 2 : 1) \(place == 2 ? 1 : 0)")
      try await habit.clock(end)
    }
    #expect(try await habit.reset() == wanted.count)
    #expect(try await habit.days(oddity.zone) == wanted)
    let left = try await habit.session.query("SELECT coalesce(sum(checked_in), 0)::bigint FROM checkins.tally").one(
      Int64.self)
    #expect(left == 0)
    try await habit.checkDays()
  }
}
