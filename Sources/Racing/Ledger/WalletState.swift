import Money

/// The money that an athlete has and owes while a batch is booked.
///
/// Pure: where money goes is decided here. Source: Racing.docc/Corrections.md, "Taking back".
struct WalletState: Hashable, Sendable {
  var balance: Pence
  var receivable: Pence

  /// Books a gain or a loss and returns what the two accounts gain.
  ///
  /// A gain repays the receivable first where it is of that kind. A loss is taken from the wallet as far as the balance
  /// reaches; the rest is owed, and the account of what is owed goes down by it. Throws `MoneyError` without a sum.
  mutating func book(_ amount: Pence, repaysFirst: Bool) throws(MoneyError) -> (wallet: Pence, receivable: Pence) {
    let owed: Pence
    if amount < .zero {
      owed = min(.zero, try balance + amount)
    } else {
      owed = repaysFirst ? min(amount, receivable) : .zero
    }
    let own = try amount - owed
    balance = try balance + own
    receivable = try receivable - owed
    return (own, owed)
  }
}
