/// The prizes of the first three places, in percent of the pool: by default 75, 20 and 5.
///
/// Positive whole numbers that fall strictly and sum to 100 (setting `racing.prize_shares`). Strictly, because only
/// then is a better place always worth more.
package struct PrizeShares: Hashable, Sendable {
  package let first: Int64
  package let second: Int64
  package let third: Int64

  /// Throws `MoneyError` `shares` where the three numbers are no prize shares.
  package init(_ first: Int64, _ second: Int64, _ third: Int64) throws(MoneyError) {
    guard first <= 100, first > second, second > third, third > 0, first + second + third == 100 else {
      throw MoneyError(.shares, "the shares must be three positive, decreasing whole numbers that sum to 100")
    }
    self.first = first
    self.second = second
    self.third = third
  }

  /// Reads `75,20,5`: digits and two commas, neither signs nor spaces.
  ///
  /// Throws `MoneyError` `shares` for any other text.
  package init(text: some StringProtocol) throws(MoneyError) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { digits($0) }
    guard numbers.count == 3, let first = numbers[0], let second = numbers[1], let third = numbers[2] else {
      throw MoneyError(.shares, "prize shares must be written like 75,20,5")
    }
    try self.init(first, second, third)
  }

  package var inOrder: [Int64] { [first, second, third] }
}

extension PrizeShares: CustomStringConvertible {
  package var description: String { "\(first),\(second),\(third)" }
}
