import Racing
import Operations
import ControlAPI
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A year of the race calendar")
struct CalendarYearTests {
  /// The periods of London by another's arithmetic: Foundation's calendar.
  private static func periods(from: Date, to: Date) throws -> [String: [(Date, Date)]] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/London"))
    var found: [String: [(Date, Date)]] = [:]
    for (duration, starts, step) in [
      ("daily", DateComponents(hour: 0), Calendar.Component.day),
      ("weekly", DateComponents(hour: 0, weekday: 2), .weekOfYear),
      ("monthly", DateComponents(day: 1, hour: 0), .month),
    ] {
      let early = try #require(calendar.date(byAdding: .day, value: -40, to: from))
      var start = try #require(calendar.nextDate(after: early, matching: starts, matchingPolicy: .nextTime))
      while start < to {
        let end = try #require(calendar.date(byAdding: step, value: 1, to: start))
        found[duration, default: []].append((start, end))
        start = end
      }
    }
    return found
  }

  @Test func `the race calendar of a year misses no race and makes none twice, with absent daemons`()
    async throws
  {
    var draw = SeededGenerator()
    let start = try Date("2031-01-01T00:00:00Z", strategy: .iso8601)
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-01-01T00:00:00Z")
    let own = try await BuiltInSchedules(database, modules: [RacingModule()])
    try await own.work()
    /// When a daemon looked: seconds from the start of the year.
    var looks = [0]
    while let last = looks.last, last < 365 * 86_400 {
      let span = [7200, 90_000, 600_000, 2_000_000].randomElement(using: &draw) ?? 1800
      let next = last + Int.random(in: 3600...(3600 + span), using: &draw)
      try await own.owner.execute(
        "SELECT settled.set_clock('2031-01-01T00:00:00Z'::timestamptz + \(next)::integer * interval '1 second')")
      try await own.work()
      looks.append(next)
    }
    let end = start.addingTimeInterval(Double(looks.last ?? 0))
    // A period has its races when a daemon looked while it ran, or at most two days before its start.
    var wanted: Set<String> = []
    for (duration, periods) in try Self.periods(from: start, to: end.addingTimeInterval(3 * 86_400)) {
      for (from, to) in periods {
        let seen = looks.contains { look in
          let now = start.addingTimeInterval(Double(look))
          return from <= now.addingTimeInterval(2 * 86_400) && now < to
        }
        if seen {
          wanted.insert("\(duration) \(Int(from.timeIntervalSince1970)) \(Int(to.timeIntervalSince1970)) 32 32")
        }
      }
    }
    let made = try await own.owner.query(
      """
      SELECT concat_ws(' ', duration, extract(epoch FROM starts_at)::bigint, extract(epoch FROM ends_at)::bigint,
        count(*), count(DISTINCT (type, category)))
      FROM racing.race GROUP BY duration, starts_at, ends_at
      """
    ).decode(String.self)
    #expect(Set(made) == wanted && made.count == wanted.count, "\(draw)")
    #expect(looks.count > 20 && wanted.count > 150, "\(draw)")
    #expect(try await own.count("SELECT count(*) FROM racing.race WHERE created_at >= ends_at") == 0)
    let commands = CommandDispatcher(own.system.commands, pool: own.pool, node: "one")
    let audit = try #require(own.system.commands.first { $0.name == "audit.schedule" })
    let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .read)
    let answer = try await commands.run(audit, CommandCall(caller: caller, requestId: nil, values: [:]))
    #expect(answer.contains(#""gaps": [], "doubles": []"#), "\(draw)")
  }
}
