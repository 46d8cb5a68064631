package import Engine
package import Postgres

/// Settles races whose results are due: the main job.
///
/// One transaction for a batch: ranks, prizes or refunds, journals, wallets, settlement rows, events. A race that waits
/// for held activities gets a later `attend_at`; who changes one of its inputs sets it back to `due_at`.
package struct SettlementJob: Job {
  package let name = "race-settlement"
  package let largestBatch = 512

  package init() {}

  package var nextDue: String { SettlementStatements.nextDue(job: name) }

  package var schedule: String { SettlementStatements.schedule }

  package func lock(_ request: LockRequest<Int64>) -> Statement {
    SettlementStatements.lock(request, job: name)
  }

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [RaceInput] {
    try await SettlementGather.read(keys, at: now, in: transaction)
  }

  package func key(of race: RaceInput) -> Int64 { race.settlement.raceId }

  package func decide(_ race: RaceInput, at now: Timestamp) throws -> DecidedRace {
    DecidedRace(race: race, decision: try Settlement.decide(race.settlement))
  }

  package func apply(_ races: [DecidedRace], at now: Timestamp, in transaction: Transaction) async throws {
    try await SettlementApply(races, now: now).write(in: transaction)
  }
}
