import Postgres
import TestSupport
import Testing

@Suite("The score of a check-in") struct ScoreTests {
  private static let best = [
    ("sleepHours", "8"), ("steps", "12000"), ("vigorousMinutes", "40"), ("processedFoodScore", "1"),
    ("alcoholUnits", "0"), ("stressLevel", "2"), ("lateCaffeine", "false"), ("screenLate", "false"),
    ("bedtimeHour", "22"),
  ]

  /// Each key with values and what they make of the best score, which is 9: both sides of every boundary.
  private static let table: [(String, [(String, Double)])] = [
    (
      "sleepHours",
      [("0", -2), ("5.999", -2), ("6", -0.5), ("6.999", -0.5), ("7", 2), ("9", 2), ("9.001", -0.5), ("24", -0.5)]
    ),
    (
      "steps",
      [("0", -2), ("3999", -2), ("4000", -1), ("6999", -1), ("7000", 1), ("9999", 1), ("10000", 2), ("200000", 2)]
    ),
    ("vigorousMinutes", [("0", -0.5), ("9", -0.5), ("10", 0.5), ("29", 0.5), ("30", 1.5), ("1440", 1.5)]),
    (
      "processedFoodScore",
      [("0", 1), ("2", 1), ("2.001", -0.5), ("3.999", -0.5), ("4", -1.5), ("10", -1.5)]
    ),
    ("alcoholUnits", [("0", 1), ("0.001", 0), ("2", 0), ("2.001", -1), ("100", -1)]),
    ("stressLevel", [("0", 1), ("3", 1), ("3.001", -0.5), ("6.999", -0.5), ("7", -1.5), ("10", -1.5)]),
    ("lateCaffeine", [("false", 0), ("true", -1)]),
    ("screenLate", [("false", 0), ("true", -0.5)]),
    (
      "bedtimeHour",
      [
        ("0", -1), ("4.999", -1), ("5", 0.5), ("23", 0.5), ("23.001", -0.5), ("23.999", -0.5), ("24", -1), ("30", -1),
      ]
    ),
  ]

  private func score(_ session: Connection, _ metrics: [(String, String)]) async throws -> String {
    let json = "{" + metrics.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
    return try await session.transaction(commit: false) { transaction in
      try await transaction.query("SELECT checkins.submit('ann', \(JSON(text: json)))->'today'->>'score'")
        .one(String.self)
    }
  }

  private func shown(_ score: Double) -> String {
    score == score.rounded() ? String(Int(score)) : String(score)
  }

  @Test func `the score of a check-in follows the table on both sides of each boundary`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", nil)
    for (key, values) in Self.table {
      let own = Self.best.first { $0.0 == key }
      let best = try #require(values.first { $0.1 == values.map(\.1).max() }?.1)
      for (value, points) in values {
        let metrics = Self.best.map { $0.0 == key ? (key, value) : $0 }
        #expect(try await score(habit.session, metrics) == shown(9 - best + points), "\(key) \(value)")
      }
      #expect(own != nil)
    }
  }

  @Test func `the score of a check-in ranges from -11 to 9, in steps of a half`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", nil)
    #expect(try await score(habit.session, Self.best) == "9")
    let worst = Self.table.map { key, values in (key, values.min { $0.1 < $1.1 }?.0 ?? "") }
    #expect(try await score(habit.session, worst) == "-11")
    let half = Self.best.map { $0.0 == "screenLate" ? ($0.0, "true") : $0 }
    #expect(try await score(habit.session, half) == "8.5")
  }
}
