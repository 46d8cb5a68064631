import Engine
import TextCoding
package import Money

/// The bookings of a settlement.
///
/// Always: fees = platform fee + the sum of the payouts, and what the entries were charged = fees + the sum of the
/// refunds. So a void race, which refunds everything, has fees, platform fee and pool of zero.
package struct SettlementResult: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    case paid
    case void
  }

  package let outcome: Outcome
  package let fees: Pence
  package let platformFee: Pence
  package let pool: Pence
  /// Every entry: by rank, within a rank by entered_at, then id; those without a score last, by id.
  package let ranking: [RankedEntry]
  /// By place, then entry id.
  package let payouts: [Payout]
  /// By entry id; empty unless void.
  package let refunds: [Refund]
}

/// Where an entry stands.
package struct RankedEntry: Hashable, Sendable {
  package let entryId: Int64
  package let athleteId: Int64
  /// Competition ranking (1, 2, 2, 4); nil without a score.
  package let rank: Int?
  package let score: Int64?
  package let activityId: Int64?
  package let prize: Pence
}

/// A prize that is paid: never zero pence.
package struct Payout: Hashable, Sendable {
  /// The entry's rank, 1 to 3; tied entries share it.
  package let place: Int
  package let entryId: Int64
  package let athleteId: Int64
  package let amount: Pence
}

/// A fee that goes back in full because the race is void: never zero pence.
package struct Refund: Hashable, Sendable {
  package let entryId: Int64
  package let athleteId: Int64
  package let amount: Pence
  /// How often the fee went back before and was taken again.
  package var reinstatements: Int64 = 0
}

extension SettlementResult {
  /// `[{place, entryId, athleteId, amountPence}]`, as the contract shows payouts everywhere.
  var payoutsJSON: JSONValue {
    .array(
      payouts.map { payout in
        [
          "place": .integer(Int64(payout.place)), "entryId": .integer(payout.entryId),
          "athleteId": .integer(payout.athleteId), "amountPence": .integer(payout.amount.amount),
        ]
      })
  }
}
