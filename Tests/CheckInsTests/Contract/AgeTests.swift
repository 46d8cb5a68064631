import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@Suite("The biological age") struct AgeTests {
  /// Nine metrics that make these points.
  private static let metrics = [
    "9": Habit.good,
    "-11": """
    {"sleepHours": 5, "steps": 0, "vigorousMinutes": 0, "processedFoodScore": 5, "alcoholUnits": 3,
     "stressLevel": 8, "lateCaffeine": true, "screenLate": true, "bedtimeHour": 25}
    """,
    "0": """
    {"sleepHours": 9.5, "steps": 7000, "vigorousMinutes": 0, "processedFoodScore": 3, "alcoholUnits": 0,
     "stressLevel": 5, "lateCaffeine": false, "screenLate": true, "bedtimeHour": 22}
    """,
  ]

  private static func submit(_ habit: Habit, _ score: String) async throws {
    let metrics = JSON(text: Self.metrics[score] ?? "")
    let answer: Statement = "SELECT a->'today'->>'score', a->'state' FROM checkins.submit('ann', \(metrics)) AS a"
    let (shown, state) = try await habit.session.query(answer).one(String.self, JSON?.self)
    #expect(shown == score)
    #expect(try await habit.session.query("SELECT checkins.age('ann')->'state'").one(JSON?.self) == state)
  }

  /// `current debt rejuvenation acceleration totals`, or `none`.
  private static func state(_ habit: Habit) async throws -> String {
    try await habit.session.query(
      """
      SELECT coalesce(nullif(concat_ws(' ', s->>'currentBiologicalAgeYears', s->>'agingDebtYears',
        s->>'rejuvenationStreakDays', s->>'accelerationStreakDays', s->>'totalRejuvenationDays',
        s->>'totalAccelerationDays'), ''), 'none')
      FROM checkins.age('ann') AS a, LATERAL (SELECT a->'state' AS s) AS state
      """
    ).one(String.self)
  }

  /// `date age delta score` of a history's days.
  private static func history(_ habit: Habit, _ name: String) async throws -> [String] {
    try await habit.session.query(
      """
      SELECT concat_ws(' ', d->>'date', d->>'biologicalAgeYears', d->>'deltaYears', d->>'score')
      FROM jsonb_array_elements(checkins.age('ann')->\(name)) WITH ORDINALITY AS x (d, place) ORDER BY place
      """
    ).decode(String.self)
  }

  @Test func `each day moves the age by its delta, and a streak is consecutive days of one sign`() async throws {
    let habit = try await Habit(at: "2031-03-01T08:00:00Z")
    _ = try await habit.session.query("SELECT checkins.onboard('ann', 'UTC', 34.5)")
    for (day, score, state) in [
      ("2031-03-01", "9", "34.23 -0.27 1 0 1 0"), ("2031-03-02", "9", "33.96 -0.54 2 0 2 0"),
      ("2031-03-03", nil, "33.96 -0.54 2 0 2 0"), ("2031-03-04", nil, "33.96 -0.54 0 0 2 0"),
      ("2031-03-04", "9", "33.69 -0.81 1 0 3 0"), ("2031-03-05", "-11", "33.99 -0.51 0 1 3 1"),
      ("2031-03-06", "-11", "34.29 -0.21 0 2 3 2"), ("2031-03-07", "0", "34.29 -0.21 0 0 3 2"),
      ("2031-03-08", "-11", "34.59 0.09 0 1 3 3"), ("2031-03-09", "9", "34.32 -0.18 1 0 4 3"),
    ] as [(String, String?, String)] {
      try await habit.clock("\(day)T12:00:00Z")
      if let score { try await Self.submit(habit, score) }
      #expect(try await Self.state(habit) == state, "\(day)")
    }
    #expect(
      try await Self.history(habit, "weeklyHistory") == [
        "2031-03-04 33.69 -0.27 9", "2031-03-05 33.99 0.3 -11", "2031-03-06 34.29 0.3 -11", "2031-03-07 34.29 0 0",
        "2031-03-08 34.59 0.3 -11", "2031-03-09 34.32 -0.27 9",
      ])
    #expect(try await Self.history(habit, "monthlyHistory").count == 8)
  }

  @Test func `a history has the days of its window, the oldest one included`() async throws {
    let habit = try await Habit(at: "2031-03-01T08:00:00Z")
    _ = try await habit.session.query("SELECT checkins.onboard('ann', 'UTC', 40)")
    try await habit.submit("ann")
    for (instant, counts) in [
      ("2031-03-07T23:59:59Z", [1, 1, 1]), ("2031-03-08T00:00:00Z", [0, 1, 1]), ("2031-03-30T23:59:59Z", [0, 1, 1]),
      ("2031-03-31T00:00:00Z", [0, 0, 1]), ("2032-02-28T23:59:59Z", [0, 0, 1]), ("2032-02-29T00:00:00Z", [0, 0, 0]),
    ] {
      try await habit.clock(instant)
      var shown: [Int] = []
      for name in ["weeklyHistory", "monthlyHistory", "yearlyHistory"] {
        shown.append(try await Self.history(habit, name).count)
      }
      #expect(shown == counts, "\(instant)")
    }
    // What a pruned entry did stays.
    try await habit.session.execute("DELETE FROM checkins.entry")
    #expect(try await Self.state(habit) == "39.73 -0.27 0 0 1 0")
  }

  @Test func `an age is kept as given and may be given again; without one there is no state`() async throws {
    let habit = try await Habit(at: "2031-03-01T08:00:00Z")
    try await habit.onboard("ann", "Asia/Tokyo")
    try await habit.submit("ann")
    #expect(try await Self.state(habit) == "none")
    #expect(try await Self.history(habit, "yearlyHistory") == ["2031-03-01 -0.27 9"])
    for (given, shown) in [("34.70", "34.70"), ("null", "34.70"), ("35", "35")] {
      _ = try await habit.session.query("SELECT checkins.onboard('ann', NULL, \(raw: given))")
      let age = try await habit.session.query(
        "SELECT checkins.age('ann')->'state'->>'chronologicalAgeYears'"
      ).one(String.self)
      #expect(age == shown)
    }
    #expect(try await Self.state(habit) == "34.73 -0.27 1 0 1 0")
    _ = try await habit.session.query("SELECT checkins.erase_profile('ann')")
    #expect(try await Self.state(habit) == "none")
    _ = try await habit.session.query("SELECT checkins.onboard('ann', NULL, 35)")
    #expect(try await Self.state(habit) == "35 0 0 0 0 0")
  }

  @Test func `an entry that functions of the former release write is counted, too`() async throws {
    let habit = try await Habit(at: "2031-03-01T08:00:00Z")
    _ = try await habit.session.query("SELECT checkins.onboard('ann', 'UTC', 40)")
    for (day, score) in [("01", "9"), ("02", "9"), ("03", "-6"), ("05", "-6")] {
      try await habit.session.execute(
        """
        INSERT INTO checkins.entry (profile_id, date, zone, score, metrics, checked_in_at)
        SELECT p.id, \("2031-03-" + day)::text::date, 'UTC', \(score)::text::numeric, '{}', settled.clock() FROM checkins.profile AS p
        """)
    }
    #expect(try await Self.state(habit) == "39.82 -0.18 0 0 2 2")
    #expect(try await habit.session.query("SELECT trend_days FROM checkins.profile").one(Int32.self) == 1)
  }

  /// The migration computes from entries what each check-in adds from then on.
  @Test func `entries from before the ages are counted as if they had been`() async throws {
    let habit = try await Habit(at: "2031-03-01T08:00:00Z")
    _ = try await habit.session.query("SELECT checkins.onboard('ann', 'UTC', 40)")
    try await habit.onboard("bob", "UTC")
    let migration = try #require(Schema.migrations.first { $0.path.hasSuffix("-ages.sql") }?.text)
    let start = try #require(migration.range(of: "WITH day AS"))
    let end = try #require(
      migration.range(of: "\nALTER TABLE checkins.profile", range: start.upperBound..<migration.endIndex))
    var random = SeededGenerator()
    for day in 1...28 {
      try await habit.clock("2031-03-\(day < 10 ? "0" : "")\(day)T12:00:00Z")
      // Some days are left out, and runs of one sign are common.
      guard Int.random(in: 0...4, using: &random) > 0 else { continue }
      try await Self.submit(habit, ["9", "9", "-11", "-11", "0"].randomElement(using: &random) ?? "0")
      let expected = try await Self.state(habit)
      try await habit.session.script(
        """
        UPDATE checkins.profile SET delta_years = 0, rejuvenation_days = 0, acceleration_days = 0, trend_days = 0;
        \(migration[start.lowerBound..<end.lowerBound])
        """)
      #expect(try await Self.state(habit) == expected, "day \(day), \(random)")
    }
  }
}
