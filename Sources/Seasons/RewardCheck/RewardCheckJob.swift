package import Engine
package import Postgres

/// Adds changes of team totals to them, and records the rewards that are reached, with their events.
///
/// An item is a row of `seasons.team_change`, which everything writes that can make a team reach a reward; so the work
/// follows what changed. `seasons.reached` decides which rewards are reached, and since when, here as for readers.
/// Source of the rules: Seasons.docc/Rewards.md.
package struct RewardCheckJob: TwoStepJob {
  package let name = "reward-check"
  package let largestBatch = 4_096

  package init() {}

  package let source = DueSource("seasons.team_change", key: "id", [.init(at: "t.at", where: "true")])

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [TeamChange] {
    try RewardCheckRows.changes(try await transaction.query(RewardCheckRows.changes(keys)))
  }

  package func key(of change: TeamChange) -> Int64 { change.id }

  /// An app that is changing a reward holds up the rewards of its season alone.
  package func lockedByOthers(
    _ changes: [TeamChange], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Int64> {
    let locked = try RewardCheckRows.seasons(
      try await transaction.query(RewardCheckRows.lockFree(TeamSeason.all(of: changes))))
    return Set(changes.filter { locked.contains($0.season) }.map(\.id))
  }

  /// Rewards before totals, as `lockedByOthers` has it: two nodes that work on one season do not wait in a circle.
  package func apply(_ changes: [TeamChange], at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await transaction.pipeline(
      TeamSeason.all(of: changes).map(RewardCheckRows.recordReached) + [RewardCheckRows.add(changes.map(\.id))])
  }
}

/// A season of a year: `xc` or `track`.
package struct TeamSeason: Hashable, Sendable, Comparable {
  let season: String
  let year: Int64

  package static func < (a: Self, b: Self) -> Bool { (a.season, a.year) < (b.season, b.year) }

  /// Each season once, in the order in which their rows are locked.
  static func all(of changes: [TeamChange]) -> [TeamSeason] { Set(changes.map(\.season)).sorted() }
}

/// Something that moved a team's total, or a threshold.
package struct TeamChange: Hashable, Sendable {
  let id: Int64
  let season: TeamSeason
}
