/// A percentage from 0 to 50 with at most two decimals, kept exactly.
///
/// The platform's part of the fees (setting `racing.platform_fee_percent`; the range is that of the setting).
package struct Percent: Hashable, Sendable {
  /// Hundredths of a percent: 100 is 1 %, 5000 is 50 %.
  package let hundredths: Int64

  /// Throws `MoneyError` `percent` outside of 0...5000.
  package init(hundredths: Int64) throws(MoneyError) {
    guard (0...5000).contains(hundredths) else {
      throw MoneyError(.percent, "\(hundredths) hundredths of a percent is outside the range of 0 to 50 percent")
    }
    self.hundredths = hundredths
  }

  /// Reads `1`, `2.5`, `0.25`, `1.00`: digits, then a point with one or two more; no sign, space or exponent.
  ///
  /// Throws `MoneyError` `percent` for any other text, and outside of 0 to 50.
  package init(text: some StringProtocol) throws(MoneyError) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let decimals = parts.count == 2 ? parts[1] : "0"
    guard
      parts[0].utf8.count <= 9, (1...2).contains(decimals.utf8.count),
      let whole = digits(parts[0]), let fraction = digits(decimals)
    else { throw MoneyError(.percent, "a percentage must be a number such as 1 or 2.5, with at most two decimals") }
    try self.init(hundredths: whole * 100 + (decimals.utf8.count == 1 ? fraction * 10 : fraction))
  }
}

extension Percent: CustomStringConvertible {
  /// Always with two decimals: `1.00`.
  package var description: String {
    let (whole, fraction) = hundredths.quotientAndRemainder(dividingBy: 100)
    return "\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}

/// The number that one or more ASCII digits say; nil for anything else (`Int64(_:)` alone would accept a sign).
func digits(_ text: some StringProtocol) -> Int64? {
  text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
}
