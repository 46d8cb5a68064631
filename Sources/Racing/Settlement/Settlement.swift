package import Money
package import Postgres

/// The decision of the race-settlement job: wait, or who is paid what.
///
/// Pure: the same input has the same answer, regardless of the order of its entries. Source: Racing.docc/Settlement.md.
package enum Settlement {
  /// Waits until due_at, then while held activities or claims can change a payout, at the longest until the hold ends.
  ///
  /// Throws `MoneyError` for a fee below zero, and where the fees have no sum in 64 bits.
  package static func decide(_ input: SettlementInput) throws(MoneyError) -> SettlementDecision {
    if input.now < input.dueAt { return .wait(.grace, until: input.dueAt, activities: []) }
    if let wait = Hold(input).wait { return wait }
    return .settle(try settle(input))
  }

  /// The result of settling now, without held activities and claims; for a dry run and an override of grace and hold.
  ///
  /// Nobody ranked: void, every entry's own fee is refunded and nothing else booked. Throws as `decide` does.
  package static func settle(_ input: SettlementInput) throws(MoneyError) -> SettlementResult {
    let fees = try Fee.sum(input.entries.lazy.map(\.fee))
    let ranking = Ranking(input.entries, type: input.type)
    guard !ranking.groups.isEmpty else { return void(ranking) }

    let platformFee = try Fee.platform(fees: fees, percent: input.percent)
    let pool = try fees - platformFee
    let prizes = try PrizeSplit.entries(
      pool: pool, shares: input.shares, tieGroups: ranking.groups.map(\.members.count))
    let ranked = ranking.entries(prizes: prizes)
    return SettlementResult(
      outcome: .paid, fees: fees, platformFee: platformFee, pool: pool, ranking: ranked,
      payouts: payouts(of: ranked), refunds: [])
  }

  private static func void(_ ranking: Ranking) -> SettlementResult {
    let refunds = ranking.unranked.filter { $0.fee > .zero }
      .map { Refund(entryId: $0.id, athleteId: $0.athleteId, amount: $0.fee) }
    return SettlementResult(
      outcome: .void, fees: .zero, platformFee: .zero, pool: .zero, ranking: ranking.entries(prizes: []), payouts: [],
      refunds: refunds)
  }

  private static func payouts(of ranked: [RankedEntry]) -> [Payout] {
    ranked.compactMap { entry in
      guard let rank = entry.rank, entry.prize > .zero else { return nil }
      return Payout(place: rank, entryId: entry.entryId, athleteId: entry.athleteId, amount: entry.prize)
    }
    .sorted { ($0.place, $0.entryId) < ($1.place, $1.entryId) }
  }
}

/// The reason that a race is not settled yet.
package enum WaitReason: String, Sendable {
  /// Its due instant has not come.
  case grace
  /// Activities are held, and perhaps claims.
  case review
  /// Claims alone: it would be settled if the provider refused them.
  case provider
}

/// The next state of a race that has ended.
package enum SettlementDecision: Hashable, Sendable {
  /// The race is due again at `until`, or when an input changes. `activities` are the held ones and the claims that may
  /// change a payout, by id; there are none while the grace runs.
  case wait(WaitReason, until: Timestamp, activities: [Int64])
  case settle(SettlementResult)
}
