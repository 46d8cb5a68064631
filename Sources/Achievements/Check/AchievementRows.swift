import Postgres

enum AchievementRows {
  /// Records and announces what these people have reached; the caller has locked them. Answers how many they were.
  static func settle(_ people: [Int64]) -> Statement {
    "SELECT achievements.settle_all(\(people))"
  }

  static let addTotals: Statement = "SELECT achievements.add_totals()"

  static func check(_ rows: Rows, settled expected: Int) throws {
    let count = try rows.one(Int64.self)
    guard count == expected else {
      throw AchievementsError(.written, "achievements were recorded for \(count) people, but \(expected) were expected")
    }
  }
}
