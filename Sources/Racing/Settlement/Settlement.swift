package import Money
package import Postgres

/// The decision of the race-settlement job: wait, or who is paid what.
///
/// Pure: the same input has the same answer, whatever the order of its entries. Source: Racing.docc/Settlement.md.
package enum Settlement {
  /// Waits until due_at, then while held activities can change a payout, at the longest until the end of the hold.
  ///
  /// Throws `MoneyError` for a fee below zero, and where the fees have no sum in 64 bits.
  package static func decide(_ input: SettlementInput) throws(MoneyError) -> SettlementDecision {
    if input.now < input.dueAt { return .wait(until: input.dueAt, activities: []) }
    if input.now < input.holdUntil {
      let athletes = HoldRule(input.entries, type: input.type).waitingAthletes
      if !athletes.isEmpty {
        let activities = input.held.filter { athletes.contains($0.athleteId) }.map(\.id)
        return .wait(until: input.holdUntil, activities: activities.sorted())
      }
    }
    return .settle(try settle(input))
  }

  /// The result of settling now, without the held activities; for a dry run and for an override of grace and hold.
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

/// The next state of a race that has ended.
package enum SettlementDecision: Hashable, Sendable {
  /// The race is due again at `until`, or when an input changes. `activities` are the held ones that may change a
  /// payout, by id; there are none while the grace runs.
  case wait(until: Timestamp, activities: [Int64])
  case settle(SettlementResult)
}
