import Engine
package import Postgres

/// Settles, or only previews, one race on request: the job's own gather, decide and apply.
package struct SettleOne: Sendable {
  private let pool: Pool

  package init(pool: Pool) {
    self.pool = pool
  }

  /// What settling the race now would do; nothing is committed. Allowed once the race has ended.
  package func preview(_ race: Int64) async throws -> SettlementPreview {
    try await run(race, commit: false, expecting: nil)
  }

  /// Settles a race that is due and waits for nothing.
  ///
  /// Throws `RacingError`: `race`, `status`, `grace`, `hold`, and `hash` where the inputs are not those of `expecting`.
  package func settle(_ race: Int64, expecting hash: String? = nil) async throws -> SettlementPreview {
    try await run(race, commit: true, expecting: hash)
  }

  private func run(_ race: Int64, commit: Bool, expecting hash: String?) async throws -> SettlementPreview {
    try await pool.transaction(commit: commit) { transaction in
      let status = try await transaction.query(SettlementStatements.lockOne(race)).decode(String.self).first
      guard let status else { throw RacingError(.race, "race \(race) does not exist") }
      let now = try await BusinessClock.read(transaction)
      let job = SettlementJob()
      guard status == "ended", let input = try await job.gather([race], at: now, in: transaction).first else {
        throw RacingError(.status, "race \(race) is \(status); only a race that has ended and is not settled can be")
      }
      let inputHash = try await transaction.query(
        "SELECT encode(sha256(convert_to(\(input.settlement.canonicalInput), 'UTF8')), 'hex')"
      ).one(String.self)
      if let hash, hash != inputHash {
        throw RacingError(.hash, "the inputs of race \(race) have changed: their hash is \(inputHash)")
      }
      let decided = try job.decide(input, at: now)
      let result = try Settlement.settle(input.settlement)
      if commit {
        try refuseWaiting(decided)
        try await job.apply([decided], at: now, in: transaction)
      }
      return SettlementPreview(
        raceId: race, outcome: result.outcome, inputHash: inputHash, fees: result.fees,
        platformFee: result.platformFee, prizePool: result.pool, payouts: result.payouts,
        waitingFor: waitingFor(decided), isSettled: commit)
    }
  }

  private func waitingFor(_ race: DecidedRace) -> SettlementPreview.WaitingFor? {
    guard case .wait(let until, let activities) = race.decision else { return nil }
    return .init(until: until, activities: activities)
  }

  private func refuseWaiting(_ race: DecidedRace) throws {
    guard case .wait(let until, let activities) = race.decision else { return }
    throw activities.isEmpty
      ? RacingError(.grace, "race \(race.race.settlement.raceId) is due at \(until)")
      : RacingError(
        .hold, "race \(race.race.settlement.raceId) waits for activities \(activities), at most until \(until)")
  }
}
