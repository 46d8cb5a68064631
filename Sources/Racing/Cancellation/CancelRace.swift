import Engine
import Operations
import Money
import Postgres

/// Cancels a race that is not settled: every fee that has not gone back does, in full, and the platform keeps nothing.
struct CancelRace: Sendable {
  private let gate: ClaimGate

  init(gate: ClaimGate) {
    self.gate = gate
  }

  /// Throws `CommandError` with the rule `race` or `status`: what was settled is corrected, never cancelled.
  @discardableResult
  static func check(_ status: String?, of race: Int64) throws(CommandError) -> String {
    guard let status else { throw CommandError(.missing, rule: "race", "there is no race \(race)") }
    guard status != RaceStatus.settled.rawValue else {
      throw CommandError(
        .refused, rule: "status",
        "race \(race) is settled: its prizes have been paid, and only a correction can change them")
    }
    guard status != RaceStatus.cancelled.rawValue else {
      throw CommandError(.refused, rule: "status", "race \(race) is already cancelled")
    }
    return status
  }

  /// Returns the sum of the refunds. Throws as `check` does.
  func cancel(_ race: Int64, reason: String, in transaction: Transaction) async throws -> Pence {
    try Self.check(try await transaction.query(SettleOneStatements.lockOne(race)).first(String.self), of: race)
    let now = try await gate.again(transaction)
    let fees = try await transaction.query(CancelStatements.fees(race)).decode(Int64.self, Int64.self, Int64.self)
      .map { Refund(entryId: $0, athleteId: $1, amount: Pence($2)) }
    let refunded = try Pence.sum(fees.map(\.amount))
    let journal = try JournalDraft.refunds(
      fees, key: "race/\(race)/cancelled", race: race, description: "Entry fees of cancelled race \(race)")
    let journals = [journal].compactMap { $0 }
    let replies = try await CheckedStatement.run(
      LedgerStatements.journals(journals, at: now)
        + [
          CheckedStatement(CancelStatements.entries(fees.map(\.entryId)), rows: fees.count),
          CheckedStatement(CancelStatements.race(race), rows: 1),
          CheckedStatement(SettleOneStatements.clearFailures(race), rows: nil),
          CheckedStatement(CancelStatements.event(race, reason: reason, refunded: refunded, at: now), rows: 1),
        ]
        + LedgerStatements.walletLocks(journals),
      in: transaction)
    CheckedStatement.runBeforeCommit(
      try LedgerStatements.postings(journals, wallets: replies.last), in: transaction)
    return refunded
  }
}
