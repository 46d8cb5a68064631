/// Divides a prize pool so that every penny of it is paid.
package enum PrizeSplit {
  /// The prizes of the places that are filled, first place first, in pence; they sum to the pool.
  ///
  /// By largest remainder: each place has the whole pence of its share, and the pence left over go one each to the
  /// largest remainders, of equal ones to the better place. With fewer than three places filled the shares are scaled
  /// to the whole pool (two: 75/95 and 20/95). `filled` is the number of ranked entries; below one nothing is paid,
  /// above three it means three. Throws `MoneyError` `negative` for a pool below zero. Source:
  /// Racing.docc/Settlement.md, "Prizes".
  package static func places(pool: Pence, shares: PrizeShares, filled: Int) throws(MoneyError) -> [Pence] {
    guard pool >= .zero else { throw MoneyError(.negative, "a pool of \(pool)") }
    let paid = shares.inOrder.prefix(max(0, filled))
    let whole = Int128(paid.reduce(0, +))
    let exact = paid.map { (Int128(pool.amount) * Int128($0)).quotientAndRemainder(dividingBy: whole) }
    var prizes = exact.map { Int64($0.quotient) }
    let left = pool.amount - prizes.reduce(0, +)
    let byRemainder = exact.indices.sorted {
      (exact[$1].remainder, $0) < (exact[$0].remainder, $1)
    }
    for place in byRemainder.prefix(Int(left)) { prizes[place] += 1 }
    return prizes.map { Pence($0) }
  }

  /// The prize of every ranked entry, in pence, in the order given; they sum to the pool.
  ///
  /// `tieGroups` holds the number of entries at each rank, best first: `[2, 1]` is a tie for first and a third place.
  /// The members of a group share the sum of the paid places they occupy equally; odd pence go one each to the first
  /// members, so the caller orders the members of a tie by entered_at, then entry id. A tie that runs past third place
  /// shares only what the paid places hold. Throws `MoneyError` `negative` for a pool below zero, `tieGroups` for a
  /// group without members. Source: Racing.docc/Settlement.md, "Ties".
  package static func entries(pool: Pence, shares: PrizeShares, tieGroups: [Int]) throws(MoneyError) -> [Pence] {
    let entries = try count(tieGroups)
    let places = try places(pool: pool, shares: shares, filled: entries)
    var prizes: [Pence] = []
    prizes.reserveCapacity(entries)
    for members in tieGroups {
      let occupied = try Pence.sum(places.dropFirst(prizes.count).prefix(members))
      let (each, odd) = occupied.amount.quotientAndRemainder(dividingBy: Int64(members))
      for member in 0..<members { prizes.append(Pence(member < odd ? each + 1 : each)) }
    }
    return prizes
  }

  private static func count(_ tieGroups: [Int]) throws(MoneyError) -> Int {
    var total = 0
    for members in tieGroups {
      let (sum, overflow) = total.addingReportingOverflow(members)
      guard members > 0, !overflow else { throw MoneyError(.tieGroups, "a group of \(members)") }
      total = sum
    }
    return total
  }
}
