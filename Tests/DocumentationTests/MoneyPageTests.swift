import Money
import TestSupport
import Testing

/// The pages' examples of money, computed again.
@Suite("Pages of prizes and corrections") struct MoneyPageTests {
  private let settlement: RulePage
  private let shares: PrizeShares
  private let percent: Percent

  init() throws {
    settlement = try RulePage("Racing.docc/Settlement.md")
    shares = try PrizeShares(75, 20, 5)
    percent = try Percent(hundredths: 100)
  }

  private func prizes(_ pool: Int64, _ ranks: [Int64]) throws -> [Int64] {
    try PrizeSplit.entries(pool: Pence(pool), shares: shares, tieGroups: ranks.map { Int($0) }).map(\.amount)
  }

  @Test func `documented fees and prizes match the code`() throws {
    for row in try settlement.rows("Fees and pool") {
      let (entries, fee) = (try row.integer("entries"), try row.integer("fee"))
      let fees = try Fee.sum(repeatElement(Pence(fee), count: Int(entries)))
      let kept = try Fee.platform(fees: fees, percent: percent)
      #expect(try kept.amount == row.integer("platform fee"), "\(row)")
      #expect(try (fees - kept).amount == row.integer("pool"), "\(row)")
      let won = try prizes(row.integer("pool"), Array(repeating: 1, count: Int(entries)))
      let paid = try row.integers("prizes")
      #expect(Array(won.prefix(paid.count)) == paid && won.dropFirst(paid.count).allSatisfy { $0 == 0 }, "\(row)")
    }
  }

  @Test(arguments: ["Prizes", "Fewer than three entries ranked"])
  func `documented divisions of a pool by largest remainder match the code`(section: String) throws {
    for row in try settlement.rows(section) {
      let won = try PrizeSplit.places(
        pool: Pence(row.integer("pool")), shares: shares, filled: Int(row.integer("filled")))
      #expect(try won.map(\.amount) == row.integers("prizes"), "\(row)")
    }
  }

  @Test func `documented payments of ties match the code, across third place too`() throws {
    let rows = try settlement.rows("Ties")
    for row in rows {
      #expect(try prizes(row.integer("pool"), row.integers("ranks")) == row.integers("prizes"), "\(row)")
    }
    #expect(rows.count >= 7)
  }

  /// The winner is out: the others share what three fees hold.
  @Test func `documented bookings of a correction match the code`() throws {
    let rows = try RulePage("Racing.docc/Corrections.md").rows("A worked correction")
    let fee = Pence(100)
    func race(_ entries: Int) throws -> (prizes: [Int64], kept: Int64) {
      let fees = try Fee.sum(repeatElement(fee, count: entries))
      let kept = try Fee.platform(fees: fees, percent: percent)
      return (try prizes((fees - kept).amount, Array(repeating: 1, count: entries)), kept.amount)
    }
    let (before, after) = (try race(rows.count - 1), try race(rows.count - 2))
    let expected = [before.prizes + [before.kept], [0] + after.prizes + [after.kept]]
    #expect(try rows.map { try $0.integer("before") } == expected[0])
    #expect(try rows.map { try $0.integer("after") } == expected[1])
    #expect(try rows.map { try $0.integer("fee back") } == [fee.amount] + rows.dropFirst().map { _ in 0 })
    for row in rows {
      #expect(
        try row.integer("net") == row.integer("after") - row.integer("before") + row.integer("fee back"), "\(row)")
    }
    #expect(try rows.reduce(0) { try $0 + $1.integer("net") } == 0)
  }
}
