/// Exact decimals as whole numbers of billionths (10⁻⁹) of their unit.
///
/// Metres, seconds and metres a second reach this module as the decimal written in the JSON, times 10⁹, further digits
/// cut. Cutting is harmless: every boundary of "round half up" to a thousandth is a whole number of billionths, so a
/// value and its cut lie on the same side. No binary floating-point number is ever involved.
enum Billionths {
  static let ofOne: Int64 = 1_000_000_000

  /// `value` billionths, rounded half up to whole `unit`s (also in billionths: 1,000,000 is a thousandth).
  ///
  /// nil where the result is not positive (no score is zero) or needs more than 64 bits.
  static func rounded(_ value: Int128, to unit: Int128) -> Int64? {
    guard value > 0 else { return nil }
    let (whole, rest) = value.quotientAndRemainder(dividingBy: unit)
    guard let result = Int64(exactly: rest * 2 >= unit ? whole + 1 : whole), result > 0 else { return nil }
    return result
  }
}
