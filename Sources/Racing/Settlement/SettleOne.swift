package import Engine
import Operations
package import Postgres

/// Settles, or only previews, one race on request: the job's own gather, decide and apply.
package struct SettleOne: Sendable {
  private let gate: Gate

  package init(gate: Gate) {
    self.gate = gate
  }

  /// What settling the race now would do, by one snapshot: it holds nothing that others wait for. Allowed once the race
  /// has ended.
  package func preview(_ race: Int64, in transaction: Transaction) async throws -> SettlementPreview {
    try await run(race, writes: false, expecting: nil, overriding: true, in: transaction)
  }

  /// Settles a race that is due and waits for nothing; `overriding` skips grace and hold, nothing else.
  ///
  /// An override before due_at moves due_at to its own instant (rules/racing.md, Races). Throws `CommandError` with the
  /// rule `race`, `status`, `grace`, `hold`, `clock`, and `hash` where the inputs are not those of `expecting`.
  package func settle(
    _ race: Int64, expecting hash: String? = nil, overriding: Bool = false, in transaction: Transaction
  ) async throws -> SettlementPreview {
    try await run(race, writes: true, expecting: hash, overriding: overriding, in: transaction)
  }

  private func run(
    _ race: Int64, writes: Bool, expecting hash: String?, overriding: Bool, in transaction: Transaction
  ) async throws -> SettlementPreview {
    let reading = writes ? SettlementStatements.lockOne(race) : SettlementStatements.status(of: race)
    let status = try await transaction.query(reading).decode(String.self).first
    guard let status else { throw CommandError(.missing, rule: "race", "there is no race \(race)") }
    guard status == "ended" else {
      throw CommandError(.refused, rule: "status", "race \(race) is \(status): only an ended race is settled")
    }
    let now = try await gate.again(transaction)
    if writes, try await gate.isHeld(transaction) {
      throw CommandError(.refused, rule: "clock", "a node holds the clock for wrong: settlectl clock accept")
    }
    let job = SettlementJob()
    var (matter, input) = try await gather(race, at: now, in: transaction)
    var inputHash = try await transaction.query(SettlementStatements.hash(of: input)).one(String.self)
    if let hash, hash != inputHash {
      throw CommandError(.refused, rule: "hash", "the inputs of race \(race) have changed: their hash is \(inputHash)")
    }
    if writes, overriding {
      try await transaction.execute(SettlementStatements.dueNow(race, now: now))
      (matter, input) = try await gather(race, at: now, in: transaction)
      inputHash = try await transaction.query(SettlementStatements.hash(of: input)).one(String.self)
      // An earlier due_at can leave out what was imported just before it: then this is not what was looked at.
      if let hash, hash != inputHash {
        throw CommandError(
          .refused, rule: "hash", "by the override's own instant other activities of race \(race) count: try again")
      }
    }
    let decision = try Settlement.decide(input.settlement)
    let result = try Settlement.settle(input.settlement)
    if writes {
      if !overriding { try refuse(decision, race) }
      let settled = RaceRuling(raceId: race, refunds: matter.refunds, answer: .settlement(input, .settle(result)))
      try await job.apply([settled], at: now, in: transaction)
      try await transaction.execute(SettlementStatements.clearFailures(race))
    }
    return SettlementPreview(
      raceId: race, inputHash: inputHash, result: result, refunded: try matter.refunded(with: result),
      waitingFor: writes ? nil : .init(decision, now: now, dueAt: input.settlement.dueAt),
      settledAt: writes ? now : nil)
  }

  private func gather(
    _ race: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws -> (RaceMatter, RaceInput) {
    guard let matter = try await SettlementGather.read([race], at: now, in: transaction).first,
      case .settlement(let input) = matter.question
    else {
      throw CommandError(.bug, rule: "bug", "race \(race) vanished under its lock")
    }
    return (matter, input)
  }

  private func refuse(_ decision: SettlementDecision, _ id: Int64) throws {
    guard case .wait(let until, let activities) = decision else { return }
    throw activities.isEmpty
      ? CommandError(.refused, rule: "grace", "race \(id) is due at \(until)")
      : CommandError(.refused, rule: "hold", "race \(id) waits for activities \(activities), at most until \(until)")
  }
}
