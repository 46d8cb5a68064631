package import Engine
package import Postgres

/// Unlocks reached achievements, pays their rewards, and writes their events.
///
/// An item is a person whose counters have grown; nobody else is looked at. What they have reached is decided by a
/// function of the database (`achievements.reached`), because readers have to say the same from the commit of the
/// report on, whether or not this job has run. It continues until the points of the rewards reach nothing more.
/// Source: Achievements.docc/Unlocking.md, "When an achievement is reached".
package struct AchievementCheckJob: TwoStepJob {
  package let name = "achievement-check"
  package let largestBatch = 256
  package let source = DueSource(
    "achievements.person", key: "id", [.init(at: "t.due_at", where: "t.due_at IS NOT NULL")])

  package init() {}

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] { keys }

  package func key(of person: Int64) -> Int64 { person }

  package func apply(_ people: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
    let replies = try await transaction.pipeline([AchievementRows.settle(people), AchievementRows.addTotals])
    try AchievementRows.check(replies[0], settled: people.count)
  }
}
