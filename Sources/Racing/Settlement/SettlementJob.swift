package import Engine
package import Postgres

/// Settles races whose results are due: the main job.
///
/// One transaction for a batch: ranks, prizes or refunds, journals, wallets, settlement rows, events. A race that waits
/// for held activities gets a later `attend_at`; who changes one of its inputs sets it back to `due_at`. A marked race,
/// of whatever status, gives back the fees of disqualified entries, and is corrected where it is settled. A race with
/// very many activities that nobody has scored stays due while their contents are read, some in each transaction.
package struct SettlementJob: Job {
  package let name = "race-settlement"
  package let largestBatch = 512

  private let scores = PendingScores()

  package init() {}

  /// Ended races by `attend_at`, and of any status those that are marked: both are in `settle_at`. Others are to end first.
  package let source = DueSource(
    "racing.race", key: "id",
    [
      .init(at: "t.attend_at", where: "t.status IN ('upcoming', 'active')", claimed: false),
      .init(at: "t.settle_at", where: "t.settle_at IS NOT NULL"),
    ])

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [RaceMatter] {
    try await SettlementGather.read(
      keys, at: now, scores: scores, readMax: PendingScores.readMax, in: transaction)
  }

  package func key(of race: RaceMatter) -> Int64 { race.raceId }

  package func decide(_ race: RaceMatter, at now: Timestamp) throws -> RaceRuling { try RaceRuling(race) }

  /// Races that pay or charge an athlete whose wallet another transaction holds.
  package func lockedByOthers(
    _ races: [RaceRuling], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Int64> {
    let athletes = try races.map { (race: $0.raceId, athletes: try SettlementApply([$0], now: now).athletes) }
    let all = athletes.reduce(into: Set<Int64>()) { $0.formUnion($1.athletes) }
    let locked = try await LedgerStatements.lockFree(all.sorted(), in: transaction)
    return Set(athletes.filter { !$0.athletes.isDisjoint(with: locked) }.map(\.race))
  }

  package func apply(_ races: [RaceRuling], at now: Timestamp, in transaction: Transaction) async throws {
    try await SettlementApply(races, now: now).write(in: transaction)
  }
}
