import DaemonSupport
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Travellers", .timeLimit(.minutes(60))) struct TravelTests {
  /// Of the walk; more with SETTLED_SOAK, as `deploy/soak` sets it.
  private static let steps = ProcessInfo.processInfo.environment["SETTLED_SOAK"] == nil ? "60" : "600"

  /// Auckland, Honolulu, Kiritimati, Pago Pago, dates that never were, at last all zones: `Tests/Oracles/check_ins.py`.
  /// Meanwhile a node closes days whenever it comes to it: that changes no answer.
  @Test func `travellers get the answers of a model of the rules, at any state of the daily reset`() async throws {
    let habit = try await Habit(at: "1960-01-01T00:00:00Z")
    let seed = SeededGenerator().seed % 1_000_000
    let node = TestNode(habit.database)
    try await node.untilAsleep()
    // The house's own schedules would account for each hour of sixty years.
    try await habit.session.execute("UPDATE settled.schedule SET paused = true, next_tick_at = NULL")
    print(
      try await Oracle.run("check_ins.py", ["walk", habit.database.url(.owner), "\(seed)", "6", Self.steps]),
      terminator: "")
    let due: Statement = "SELECT count(*) FROM checkins.zone WHERE next_at <= settled.clock()"
    // 600 steps leave about half a million days to close.
    try await untilTrue("the last day", within: .seconds(3000)) {
      try await habit.session.query(due).one(Int64.self) == 0
    }
    try await node.stop()
    try await habit.checkDays()
    let differences = try await habit.session.query(
      """
      SELECT format('%s %s: %s entries', d.zone, d.date, count(e)) FROM checkins.day AS d
        LEFT JOIN checkins.entry AS e ON e.zone = d.zone AND e.date = d.date
      GROUP BY d.zone, d.date HAVING count(e) <> d.checked_in
      UNION ALL
      SELECT 'streaks ended' WHERE (SELECT sum(streaks_ended) FROM checkins.day)
        <> (SELECT count(*) FROM checkins.streak WHERE ended_at IS NOT NULL)
      """
    ).decode(String.self)
    #expect(differences == [], "seed \(seed)")
  }

  /// Two worlds with the same people: in one days are closed as they end, in the other much later.
  @Test func `travellers leave the same summaries and totals, however late days are closed`() async throws {
    var random = SeededGenerator()
    let seed = "\(random)"
    let zones = [
      "Pacific/Auckland", "Pacific/Honolulu", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/London",
      "Asia/Kolkata",
    ]
    let worlds = [try await Habit(at: "2031-03-20T09:00:00Z"), try await Habit(at: "2031-03-20T09:00:00Z")]
    for person in 0..<5 {
      for world in worlds { try await world.onboard("person \(person)", zones[person]) }
    }
    var hours: Int64 = 0
    for _ in 0..<150 {
      hours += Int64.random(in: 0...14, using: &random)
      let (person, zone) = (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<zones.count, using: &random))
      let isFlight = Int.random(in: 0..<3, using: &random) == 0
      var said: [String] = []
      for (number, world) in worlds.enumerated() {
        try await world.session.execute(
          "SELECT settled.set_clock(timestamptz '2031-03-20 09:30Z' + \(hours) * interval '1 hour')")
        if number == 0 { try await world.reset() }
        let ended = try await outcome {
          if isFlight {
            try await world.move("person \(person)", to: zones[zone])
          } else {
            try await world.submit("person \(person)")
          }
        }
        said.append(ended + (try await world.summary("person \(person)")))
      }
      #expect(said[0] == said[1], "\(seed)")
    }
    let before = try await worlds[1].session.query(
      "SELECT checkins.summary('person ' || n)::text FROM generate_series(0, 4) AS n ORDER BY n"
    ).decode(String.self)
    for world in worlds { try await world.reset() }
    for person in 0..<5 { #expect(try await worlds[1].summary("person \(person)") == before[person], "\(seed)") }
    for zone in zones {
      let days = try await worlds[0].days(zone)
      #expect(try await worlds[1].days(zone) == days, "\(zone) \(seed)")
      #expect(!days.isEmpty || hours < 24)
    }
  }
}
