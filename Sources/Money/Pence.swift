/// An amount of money in whole pence (GBP).
///
/// May be negative: a correction takes back. Sums and differences throw `MoneyError` `overflow` and never trap.
package struct Pence: Hashable, Sendable {
  package let amount: Int64

  package static let zero = Pence(0)

  package init(_ amount: Int64) {
    self.amount = amount
  }

  package static func + (left: Pence, right: Pence) throws(MoneyError) -> Pence {
    let (sum, overflow) = left.amount.addingReportingOverflow(right.amount)
    guard !overflow else { throw MoneyError(.overflow, "the sum of \(left) and \(right) does not fit in 64 bits") }
    return Pence(sum)
  }

  package static func - (left: Pence, right: Pence) throws(MoneyError) -> Pence {
    let (difference, overflow) = left.amount.subtractingReportingOverflow(right.amount)
    guard !overflow else { throw MoneyError(.overflow, "\(left) minus \(right) does not fit in 64 bits") }
    return Pence(difference)
  }

  /// The sum of all amounts, zero for none; throws `overflow` where an intermediate sum needs more than 64 bits.
  package static func sum(_ amounts: some Sequence<Pence>) throws(MoneyError) -> Pence {
    var total = Pence.zero
    for amount in amounts { total = try total + amount }
    return total
  }
}

extension Pence: Comparable {
  package static func < (left: Pence, right: Pence) -> Bool { left.amount < right.amount }
}

extension Pence: CustomStringConvertible {
  /// Pounds with two decimals, the sign first: `£33.66`, `-£0.05`.
  package var description: String {
    let (pounds, pence) = amount.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(amount < 0 ? "-" : "")£\(pounds).\(pence < 10 ? "0" : "")\(pence)"
  }
}
