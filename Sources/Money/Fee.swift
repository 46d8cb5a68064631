/// What the platform keeps of a race's fees.
package enum Fee {
  /// floor(fees × percent / 100), in pence.
  ///
  /// Throws `MoneyError` `negative` for fees below zero. Cannot overflow: at most half of the fees. Source:
  /// rules/racing.md, Settlement 3.
  package static func platform(fees: Pence, percent: Percent) throws(MoneyError) -> Pence {
    guard fees >= .zero else { throw MoneyError(.negative, "fees of \(fees)") }
    return Pence(Int64(Int128(fees.amount) * Int128(percent.hundredths) / 10_000))
  }
}
