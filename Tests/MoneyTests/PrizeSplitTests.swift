import Money
import TestSupport
import Testing

@Suite("A prize pool")
struct PrizeSplitTests {
  @Test(
    arguments: [
      (3366, "75,20,5", 3, [2525, 673, 168]),
      (43_967, "75,20,5", 3, [32_975, 8794, 2198]),
      (495, "75,20,5", 1, [495]),
      (100, "75,20,5", 2, [79, 21]),  // 78.94... and 21.05...
      (2, "75,20,5", 3, [2, 0, 0]),  // 1.5, 0.4, 0.1
      (1, "75,20,5", 3, [1, 0, 0]),
      (10, "75,20,5", 3, [8, 2, 0]),  // 7.5, 2.0, 0.5: equal remainders
      (50, "75,20,5", 3, [38, 10, 2]),  // 37.5, 10.0, 2.5
      (50, "50,31,19", 3, [25, 16, 9]),  // 25.0, 15.5, 9.5
      (25, "50,30,20", 3, [13, 7, 5]),  // 12.5, 7.5, 5.0
      (99, "50,30,20", 3, [49, 30, 20]),  // 49.5, 29.7, 19.8: two pence left
      (10, "50,30,20", 2, [6, 4]),  // 6.25, 3.75
      (0, "75,20,5", 3, [0, 0, 0]),
      (3366, "75,20,5", 4, [2525, 673, 168]),
      (3366, "75,20,5", 0, []),
      (3366, "75,20,5", -1, []),
    ] as [(Int64, String, Int, [Int64])])
  func `a prize pool is divided by largest remainder; the better place wins a tie`(
    pool: Int64, shares: String, filled: Int, expected: [Int64]
  ) throws {
    let prizes = try PrizeSplit.places(pool: Pence(pool), shares: PrizeShares(text: shares), filled: filled)
    #expect(prizes.map(\.amount) == expected)
  }

  @Test(
    arguments: [
      ([1, 1, 1, 1], [2525, 673, 168, 0]),
      ([2, 1], [1599, 1599, 168]),
      ([2, 1, 1], [1599, 1599, 168, 0]),
      ([2], [1683, 1683]),  // both places are filled: the whole pool
      ([1, 2], [2525, 421, 420]),
      ([1, 3, 1], [2525, 281, 280, 280, 0]),
      ([1, 1, 2], [2525, 673, 84, 84]),
      ([1, 1, 5], [2525, 673, 34, 34, 34, 33, 33]),
      ([3], [1122, 1122, 1122]),
      ([3, 1], [1122, 1122, 1122, 0]),
      ([4], [842, 842, 841, 841]),
      ([2, 2], [1599, 1599, 84, 84]),
      ([1], [3366]),
      ([1, 1], [2657, 709]),
      ([], []),
    ] as [([Int], [Int64])])
  func `a prize pool gives tied entries equal parts of their places, odd pence to the first`(
    groups: [Int], expected: [Int64]
  ) throws {
    let prizes = try PrizeSplit.entries(pool: Pence(3366), shares: PrizeShares(75, 20, 5), tieGroups: groups)
    #expect(prizes.map(\.amount) == expected)
  }

  @Test func `a prize pool too small for a tie leaves the last of it without a penny`() throws {
    let prizes = try PrizeSplit.entries(pool: Pence(2), shares: PrizeShares(75, 20, 5), tieGroups: [4])
    #expect(prizes.map(\.amount) == [1, 1, 0, 0])
  }

  @Test func `a prize pool of any size is divided without a trap`() throws {
    let prizes = try PrizeSplit.places(pool: Pence(.max), shares: PrizeShares(75, 20, 5), filled: 3)
    #expect(try Pence.sum(prizes) == Pence(.max))
    let shares = try PrizeShares(75, 20, 5)
    let negative = #expect(throws: MoneyError.self) {
      try PrizeSplit.entries(pool: Pence(-1), shares: shares, tieGroups: [1])
    }
    #expect(negative?.code == .negative)
    for groups in [[0], [1, -1], [.max, .max]] {
      let error = #expect(throws: MoneyError.self) {
        try PrizeSplit.entries(pool: Pence(1), shares: shares, tieGroups: groups)
      }
      #expect(error?.code == .tieGroups)
    }
  }

  @Test(arguments: [
    "", "75,20", "75,20,5,0", "100,0,0", "50,25,25", "34,33,33", "20,75,5", "75, 20,5", "+75,20,5", "75,20,4",
    "102,-1,-1", "9223372036854775807,2,1", "75;20;5",
  ])
  func `a prize pool has three shares that fall strictly and sum to 100`(text: String) {
    let error = #expect(throws: MoneyError.self) { try PrizeShares(text: text) }
    #expect(error?.code == .shares)
  }

  @Test func `a prize pool is paid to the penny, in order of places, each within a penny of its share`()
    throws
  {
    var random = SeededGenerator()
    for _ in 0..<5000 {
      let pool = Int64.random(in: 0...(Bool.random(using: &random) ? 500 : .max), using: &random)
      let first = Int64.random(in: 35...97, using: &random)
      let second = Int64.random(in: ((100 - first) / 2 + 1)...min(first - 1, 99 - first), using: &random)
      let shares = try PrizeShares(first, second, 100 - first - second)
      let filled = Int.random(in: 1...3, using: &random)
      let prizes = try PrizeSplit.places(pool: Pence(pool), shares: shares, filled: filled)
      try #require(prizes.count == filled, "\(random)")
      #expect(try Pence.sum(prizes) == Pence(pool), "\(random)")
      #expect(prizes == prizes.sorted(by: >), "\(random)")

      let whole = Int128(shares.inOrder.prefix(filled).reduce(0, +))
      let errors = zip(prizes, shares.inOrder).map { Int128($0.amount) * whole - Int128(pool) * Int128($1) }
      #expect(errors.allSatisfy { -whole < $0 && $0 < whole }, "\(random)")
      // Largest remainder keeps the largest of all errors least: no place rounded up has a smaller remainder (so a
      // larger error) than one rounded down would have had.
      let roundedUp = errors.filter { $0 > 0 }
      let roundedDown = errors.filter { $0 <= 0 }.map { $0 + whole }
      for up in roundedUp { #expect(roundedDown.allSatisfy { up <= $0 }, "\(random)") }
    }
  }
}
