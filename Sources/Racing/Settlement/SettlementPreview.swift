package import Money
package import Postgres

/// What settling a race would do, or did: `race settle` shows it (commands.md).
package struct SettlementPreview: Sendable, Equatable {
  package let raceId: Int64
  package let outcome: SettlementResult.Outcome
  /// SHA-256 of the inputs, in hexadecimal.
  package let inputHash: String
  package let fees: Pence
  package let platformFee: Pence
  package let prizePool: Pence
  package let payouts: [Payout]
  /// Until when the race waits, and for which activities; nil where it can be settled now.
  package let waitingFor: WaitingFor?
  /// Whether this was written.
  package let isSettled: Bool

  package struct WaitingFor: Sendable, Equatable {
    package let until: Timestamp
    package let activities: [Int64]
  }
}
