/// The charge for entering a race, and the part that the platform keeps.
package enum Fee {
  /// The sum of all fees.
  ///
  /// Throws `MoneyError` `negative` for a fee below zero, `overflow` where there is no sum in 64 bits.
  package static func sum(_ fees: some Sequence<Pence>) throws(MoneyError) -> Pence {
    var total = Pence.zero
    for fee in fees {
      guard fee >= .zero else { throw MoneyError(.negative, "a fee of \(fee)") }
      total = try total + fee
    }
    return total
  }

  /// floor(fees × percent / 100), in pence.
  ///
  /// Throws `MoneyError` `negative` for fees below zero. Cannot overflow: at most half of the fees. Source:
  /// Racing.docc/Settlement.md, "Fees and pool".
  package static func platform(fees: Pence, percent: Percent) throws(MoneyError) -> Pence {
    guard fees >= .zero else { throw MoneyError(.negative, "fees of \(fees)") }
    return Pence(Int64(Int128(fees.amount) * Int128(percent.hundredths) / 10_000))
  }
}
