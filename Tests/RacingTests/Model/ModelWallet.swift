/// An athlete's money, written for the test from the rules alone and in another way than the code under test.
///
/// It keeps what is left of each gain from a race, while the code sums postings when it is asked.
struct ModelWallet {
  struct Gain {
    let race: Int64
    /// When it was booked, in hours of the history.
    let hour: Int
    var left: Int64
  }

  private(set) var balance: Int64 = 0
  private(set) var owed: Int64 = 0
  private var gains: [Gain] = []

  var worth: Int64 { balance - owed }

  /// Deposits, fees, fees that go back, withdrawals.
  mutating func add(_ pence: Int64) { balance += pence }

  /// A withdrawal that failed, which repays what is owed first; returns what came into the wallet.
  @discardableResult
  mutating func giveBack(_ pence: Int64) -> Int64 {
    let repaid = min(pence, owed)
    owed -= repaid
    balance += pence - repaid
    return pence - repaid
  }

  mutating func take(_ pence: Int64) {
    let held = min(pence, balance)
    balance -= held
    owed += pence - held
  }

  /// A prize, or the net amount of a correction, which takes from the latest gains of its race first.
  mutating func book(_ net: Int64, of race: Int64, at hour: Int) {
    if net > 0 {
      gains.append(Gain(race: race, hour: hour, left: giveBack(net)))
    } else {
      take(-net)
      var missing = -net
      for index in gains.indices.reversed() where gains[index].race == race {
        let part = min(missing, gains[index].left)
        gains[index].left -= part
        missing -= part
      }
    }
  }

  func resting(_ hours: Int, at hour: Int) -> Int64 {
    min(balance, gains.filter { $0.hour + hours > hour }.reduce(0) { $0 + $1.left })
  }

  /// The rule that refuses a withdrawal; nil where it is allowed.
  func refusal(of pence: Int64, resting hours: Int, at hour: Int) -> String? {
    if owed > 0 { return "receivable" }
    if pence > balance { return "funds" }
    return pence > balance - resting(hours, at: hour) ? "resting" : nil
  }

  /// The first hour at which an amount of the balance can go.
  func firstHour(for pence: Int64, resting hours: Int, from hour: Int) -> Int? {
    (hour...(hour + hours)).first { refusal(of: pence, resting: hours, at: $0) == nil }
  }
}
