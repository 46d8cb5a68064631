package import Engine
package import Money
import Operations
package import Postgres
import TextCoding

/// Settles or previews one race by an operator's order: the settlement job's own gather, decide and apply.
package struct SettleOne: Sendable {
  private let gate: ClaimGate

  package init(gate: ClaimGate) {
    self.gate = gate
  }

  /// The result of settling the race now, by one snapshot: it locks nothing. A race that has not ended shows what it
  /// would pay if it ended now.
  package func preview(_ race: Int64, in transaction: Transaction) async throws -> SettlementPreview {
    try await run(race, writes: false, expecting: nil, overriding: true, in: transaction)
  }

  /// Settles a race that is due and waits for nothing; `overriding` skips grace and hold, nothing else.
  ///
  /// An override before due_at moves due_at to its own instant (Racing.docc/Settlement.md, "Dry run and settling by
  /// hand"). Throws `CommandError` with the rule `race`, `status`, `grace`, `hold`, and `hash` where the inputs are
  /// not those of `expecting`.
  package func settle(
    _ race: Int64, expecting hash: String? = nil, overriding: Bool = false, in transaction: Transaction
  ) async throws -> SettlementPreview {
    try await run(race, writes: true, expecting: hash, overriding: overriding, in: transaction)
  }

  /// Throws `CommandError` with the rule `race` or `status` unless the status is that of an ended race.
  ///
  /// A preview also takes one that has not ended.
  static func check(_ status: String?, of race: Int64, isPreview: Bool = false) throws(CommandError) -> String {
    guard let status else { throw CommandError(.missing, rule: "race", "there is no race \(race)") }
    let isOpen = status == RaceStatus.upcoming.rawValue || status == RaceStatus.active.rawValue
    guard status == RaceStatus.ended.rawValue || isOpen && isPreview else {
      throw CommandError(.refused, rule: "status", "race \(race) is \(status): only an ended race can be settled")
    }
    return status
  }

  private func run(
    _ race: Int64, writes: Bool, expecting hash: String?, overriding: Bool, in transaction: Transaction
  ) async throws -> SettlementPreview {
    let reading = writes ? SettleOneStatements.lockOne(race) : SettleOneStatements.status(of: race)
    let status = try Self.check(
      try await transaction.query(reading).first(String.self), of: race, isPreview: !writes)
    let now = try await gate.again(transaction)
    var (task, input, provenance) = try await gather(race, at: now, in: transaction)
    var inputHash = input.hash
    if let hash, hash != inputHash {
      throw CommandError(
        .refused, rule: "hash", "the inputs of race \(race) have changed: the hash is now \(inputHash)")
    }
    if writes, overriding {
      try await transaction.execute(SettleOneStatements.dueNow(race, now: now))
      (task, input, provenance) = try await gather(race, at: now, in: transaction)
      inputHash = input.hash
      // An earlier due_at can leave out what was imported just before it: then the preview showed other inputs.
      if let hash, hash != inputHash {
        throw CommandError(
          .refused, rule: "hash",
          "overriding now would change which activities of race \(race) count: run the dry run again")
      }
    }
    let decision = try Settlement.decide(input)
    let result = try Settlement.settle(input)
    if writes {
      if !overriding { try refuse(decision, race) }
      let settled = SettlementOutcome(
        raceId: race, refunds: task.refunds, work: .settlement(input, provenance, .settle(result)))
      try await SettlementWrites([settled], now: now).write(in: transaction)
      try await transaction.execute(SettleOneStatements.clearFailures(race))
    }
    return SettlementPreview(
      raceId: race, inputHash: inputHash, result: result, refunded: try task.refunded(with: result),
      waitingFor: writes ? nil : .init(decision, isOpen: status != RaceStatus.ended.rawValue),
      settledAt: writes ? now : nil)
  }

  private func gather(
    _ race: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws -> (SettlementTask, SettlementInput, Provenance) {
    guard let task = try await SettlementGather.tasks([race], at: now, withOpen: true, in: transaction).first,
      case .settlement(let input, let provenance) = task.work
    else {
      throw CommandError(.bug, rule: "bug", "race \(race) disappeared while it was locked")
    }
    return (task, input, provenance)
  }

  private func refuse(_ decision: SettlementDecision, _ id: Int64) throws {
    guard case .wait(let reason, let until, let activities) = decision else { return }
    switch reason {
    case .grace: throw CommandError(.refused, rule: "grace", "race \(id) is due at \(until)")
    case .review, .provider:
      let names = "\(reason == .review ? "activities" : "claims") \(activities)"
      let held = activities.isEmpty ? "its entrants' activities to be listed" : names
      throw CommandError(.refused, rule: "hold", "race \(id) is waiting for \(held), until \(until) at the latest")
    }
  }
}

/// The statements that settling or cancelling by an operator's command needs beside those of the job.
enum SettleOneStatements {
  /// Claims one race whether or not it is due, for an operator's command.
  static func lockOne(_ race: Int64) -> Statement {
    "\(fragment: status(of: race)) FOR NO KEY UPDATE"
  }

  static func status(of race: Int64) -> Statement {
    "SELECT status FROM racing.race WHERE id = \(race)"
  }

  /// An override before due_at makes the race due at its own instant, for good.
  static func dueNow(_ race: Int64, now: Timestamp) -> Statement {
    """
    UPDATE racing.race SET due_at = greatest(ends_at, least(due_at, \(now))), next_check_at = greatest(ends_at, least(due_at, \(now)))
    WHERE id = \(race)
    """
  }

  /// An operator settled or cancelled what the jobs could not.
  static func clearFailures(_ race: Int64) -> Statement {
    "DELETE FROM settled.failure WHERE job IN ('race-settlement', 'race-lifecycle') AND key = \(String(race))"
  }
}

/// The effect of settling a race: `race settle` shows it (Racing.docc/Settlement.md, "Dry run and settling by
/// hand").
package struct SettlementPreview: Sendable, Equatable {
  /// Why and until when the race is not settled automatically.
  package struct WaitingFor: Sendable, Equatable {
    package let reason: String
    package let until: Timestamp
    package let activities: [Int64]

    init?(_ decision: SettlementDecision, isOpen: Bool = false) {
      guard case .wait(let reason, let until, let activities) = decision else { return nil }
      self.reason = isOpen ? "end" : reason.rawValue
      self.until = until
      self.activities = activities
    }
  }

  package let raceId: Int64
  /// SHA-256 of the inputs, in hexadecimal.
  package let inputHash: String
  package let result: SettlementResult
  /// All fees that go back with it: those of a void race, and those of disqualified entries that were still owed.
  package let refunded: Pence
  package let waitingFor: WaitingFor?
  /// When it was written; nil for a preview.
  package let settledAt: Timestamp?
}

extension SettlementPreview {
  package var json: JSON {
    var pairs: [(String, JSONValue)] = [
      ("raceId", .integer(raceId)), ("outcome", .text(result.outcome.rawValue)), ("inputHash", .text(inputHash)),
      ("feesPence", .integer(result.fees.amount)), ("platformFeePence", .integer(result.platformFee.amount)),
      ("prizePoolPence", .integer(result.pool.amount)), ("refundedPence", .integer(refunded.amount)),
      ("payouts", result.payoutsJSON),
      ("waitingFor", waitingFor.map(Self.waiting) ?? .null),
    ]
    if let settledAt {
      pairs += [("revision", 1), ("settledAt", .instant(settledAt))]
    }
    return JSONValue.object(pairs).json
  }

  static func waiting(_ waiting: WaitingFor) -> JSONValue {
    [
      "reason": .text(waiting.reason), "until": .instant(waiting.until),
      "activities": .array(waiting.activities.map(JSONValue.integer)),
    ]
  }
}
