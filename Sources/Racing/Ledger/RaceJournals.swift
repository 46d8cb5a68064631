import Money

extension JournalDraft {
  /// The fee of a disqualified entry goes back, before or with the settlement.
  ///
  /// An entry that came back may be disqualified again: each of its refunds has a key of its own.
  static func refund(_ refund: Refund, race: Int64) -> JournalDraft {
    let number = refund.reinstatements == 0 ? "" : "/\(refund.reinstatements)"
    return JournalDraft(
      kind: .refund, key: "entry/\(refund.entryId)/refund\(number)", raceId: race,
      description: "Entry fee of a disqualified entry, race \(race)", pool: refund.amount, poolEntry: refund.entryId,
      lines: [
        LedgerLine(
          athleteId: refund.athleteId, entryId: refund.entryId, amount: refund.amount, repaysFirst: false)
      ])
  }

  /// The prizes of a race, or the fees of a void one; nil where there are none.
  static func settlement(of race: Int64, _ result: SettlementResult) throws(MoneyError) -> JournalDraft? {
    let key = "race/\(race)/settlement/1"
    if result.outcome == .paid {
      return JournalDraft(
        kind: .prize, key: key, raceId: race, description: "Prizes of race \(race)", pool: result.fees,
        platform: result.platformFee,
        lines: result.payouts.map {
          LedgerLine(athleteId: $0.athleteId, entryId: $0.entryId, amount: $0.amount, repaysFirst: true)
        })
    }
    return try refunds(result.refunds, key: key, race: race, description: "Entry fees of void race \(race)")
  }

  /// Fees that go back in full; nil where there are none.
  static func refunds(
    _ refunds: [Refund], key: String, race: Int64, description: String
  ) throws(MoneyError) -> JournalDraft? {
    guard !refunds.isEmpty else { return nil }
    return JournalDraft(
      kind: .refund, key: key, raceId: race, description: description, pool: try Pence.sum(refunds.map(\.amount)),
      lines: refunds.map {
        LedgerLine(athleteId: $0.athleteId, entryId: $0.entryId, amount: $0.amount, repaysFirst: false)
      })
  }

  /// The differences of a revision to the one before; nil where there are none. The pool is empty since revision 1.
  static func correction(of race: Int64, _ revision: Revision) -> JournalDraft? {
    guard !revision.netAmounts.isEmpty else { return nil }
    return JournalDraft(
      kind: .correction, key: "race/\(race)/settlement/\(revision.number)", raceId: race,
      description: "Correction \(revision.number) of race \(race)", pool: .zero, platform: revision.platformChange,
      lines: revision.netAmounts.map {
        LedgerLine(athleteId: $0.athleteId, entryId: $0.entryId, amount: $0.amount, repaysFirst: true)
      })
  }
}
