import Engine
import Money

extension SettlementResult {
  /// `[{place, entryId, athleteId, amountPence}]`, as the contract shows payouts everywhere.
  var payoutsJSON: JSONValue {
    .array(
      payouts.map { payout in
        [
          "place": .number(Int64(payout.place)), "entryId": .number(payout.entryId),
          "athleteId": .number(payout.athleteId), "amountPence": .number(payout.amount.amount),
        ]
      })
  }
}
