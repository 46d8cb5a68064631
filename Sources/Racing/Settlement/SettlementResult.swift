package import Money

/// What a settlement books.
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
