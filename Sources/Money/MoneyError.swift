/// Why an amount could not be computed.
///
/// The codes are stable. The description names no person and no secret: it is safe to show.
package struct MoneyError: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    /// A sum or a difference is outside of 64 bits.
    case overflow = "overflow"
    /// An amount that cannot be below zero (a fee, a pool) is.
    case negative = "negative-amount"
    /// A percentage is not a number from 0 to 50 with at most two decimals.
    case percent = "percent"
    /// Prize shares are not three positive whole numbers that fall strictly and sum to 100.
    case shares = "prize-shares"
    /// A tie group has no members, or all of them together are more than can be counted.
    case tieGroups = "tie-groups"
  }

  package let code: Code
  private let detail: String

  init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}

extension MoneyError: CustomStringConvertible {
  package var description: String { "\(code.rawValue): \(detail)" }
}
