import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A correction")
struct CorrectionTests {
  /// The input of a correction of a settled race of these scores, some entries out and some scores changed since.
  ///
  /// The entries `back` were disqualified before the settlement, and their fees had gone back.
  private func input(
    _ before: [Int64?], now after: [Int64?], out: Set<Int> = [], back: Set<Int> = []
  ) throws -> CorrectionInput {
    var earlier = try RaceFixture(scores: before).input()
    earlier.entries.removeAll { back.contains(Int($0.athleteId) - 1) }
    let first = try Settlement.settle(earlier)
    var settlement = try RaceFixture(scores: after).input()
    let gone = settlement.entries.filter { out.contains(Int($0.athleteId) - 1) }
    settlement.entries.removeAll { out.contains(Int($0.athleteId) - 1) }
    return CorrectionInput(
      settlement: settlement, disqualified: gone,
      reinstated: settlement.entries.filter { back.contains(Int($0.athleteId) - 1) },
      standings: Dictionary(uniqueKeysWithValues: first.ranking.map { ($0.entryId, ShownResult($0)) }), revision: 1,
      platformFee: first.platformFee)
  }

  @Test func `a correction is not written when nothing changes`() throws {
    #expect(try Correction.revise(input([9, 8, 7, 6], now: [9, 8, 7, 6])) == nil)
    #expect(try Correction.revise(input([9, 8, nil], now: [9, 8, nil])) == nil)
  }

  @Test func `a correction books one net amount for each athlete, balanced by the platform's change`() throws {
    let revision = try #require(try Correction.revise(input([9, 8, 7, 6], now: [nil, 8, 7, 6], out: [0])))
    #expect(revision.number == 2)
    #expect(revision.disqualified == [101])
    // 297, 79, 20 of 400; then 223, 59, 15 of 300, and a fee goes back.
    #expect(
      revision.netAmounts.map { [$0.athleteId, $0.amount.amount] } == [[1, -197], [2, 144], [3, 39], [4, 15]])
    #expect(revision.platformChange == Pence(-1))
  }

  @Test func `an entry that comes back pays its fee again, and the others give up what it wins`() throws {
    let given = try input([9, 8, 7, 6], now: [9, 8, 7, 6], back: [0])
    let revision = try #require(try Correction.revise(given))
    #expect(revision.reinstated == [101])
    // 223, 59, 15 of 300; then 297, 79, 20 of 400, and a fee is taken.
    #expect(
      revision.netAmounts.map { [$0.athleteId, $0.amount.amount] } == [[1, 197], [2, -144], [3, -39], [4, -15]])
    #expect(revision.platformChange == Pence(1))
    #expect(given.canonicalInput.hasSuffix("back 101 1 100\n"))
  }

  @Test func `a void correction neither takes nor returns the fee of an entry that comes back`() throws {
    let revision = try #require(try Correction.revise(input([9, 8, nil], now: [nil, 8, nil], out: [1], back: [0])))
    #expect(revision.result.outcome == .void && revision.reinstated == [101])
    #expect(revision.netAmounts.allSatisfy { $0.athleteId != 1 })
  }

  @Test func `a correction without a remaining score is void and returns every fee`() throws {
    let revision = try #require(try Correction.revise(input([9, nil, nil], now: [9, nil, nil], out: [0])))
    #expect(revision.result.outcome == .void)
    #expect(revision.netAmounts.map { [$0.athleteId, $0.amount.amount] } == [[1, -197], [2, 100], [3, 100]])
    #expect(revision.platformChange == Pence(-3))
  }

  @Test func `a correction is written for a better activity of the winner, and books nothing`() throws {
    let revision = try #require(try Correction.revise(input([9, 8, 7], now: [10, 8, 7])))
    #expect(revision.netAmounts.isEmpty && revision.platformChange == .zero)
    #expect(JournalDraft.correction(of: 7, revision) == nil)
  }

  @Test func `a correction always balances, and its nets add up to what it pays`() throws {
    var random = SeededGenerator()
    for _ in 0..<1000 {
      let count = Int.random(in: 1...8, using: &random)
      func scores() -> [Int64?] {
        (0..<count).map { _ in Bool.random(using: &random) ? Int64.random(in: 1...5, using: &random) : nil }
      }
      let before = scores()
      guard before.contains(where: { $0 != nil }) else { continue }
      let out = Set((0..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      let back = Set((0..<count).filter { !out.contains($0) && Int.random(in: 0..<4, using: &random) == 0 })
      guard before.indices.contains(where: { before[$0] != nil && !back.contains($0) }) else { continue }
      let given = try input(before, now: scores(), out: out, back: back)
      guard let revision = try Correction.revise(given) else {
        #expect(out.isEmpty && back.isEmpty, "\(random)")
        continue
      }
      let net = revision.netAmounts.reduce(0) { $0 + $1.amount.amount }
      #expect(net + revision.platformChange.amount == 0, "\(random)")
      let final = Dictionary(uniqueKeysWithValues: revision.result.ranking.map { ($0.entryId, $0.prize.amount) })
      let fees = Dictionary(
        uniqueKeysWithValues: given.disqualified.map { ($0.id, $0.fee.amount) }
          + revision.result.refunds.map { ($0.entryId, $0.amount.amount) })
      let taken = Dictionary(uniqueKeysWithValues: given.reinstated.map { ($0.id, $0.fee.amount) })
      for entry in Set(given.standings.keys).union(taken.keys) {
        let booked = revision.netAmounts.filter { $0.entryId == entry }.reduce(0) { $0 + $1.amount.amount }
        let before = given.standings[entry]?.prize.amount ?? 0
        #expect(before + booked == (final[entry] ?? 0) + (fees[entry] ?? 0) - (taken[entry] ?? 0), "\(random)")
      }
    }
  }
}

@Suite("A purse")
struct PurseTests {
  @Test(
    arguments: [
      // Balance, owed; amount, repays; balance, owed after.
      (100, 0, -40, true, 60, 0), (100, 0, -140, true, 0, 40), (0, 5, -7, true, 0, 12), (0, 5, 3, true, 0, 2),
      (0, 5, 8, true, 3, 0), (0, 5, 8, false, 8, 5), (10, 0, 8, true, 18, 0), (10, 3, 0, true, 10, 3),
    ] as [(Int64, Int64, Int64, Bool, Int64, Int64)])
  func `a purse takes as much as the wallet has, and repays debts from gains of that kind`(
    balance: Int64, owed: Int64, amount: Int64, repays: Bool, then: Int64, owing: Int64
  ) throws {
    var purse = WalletState(balance: Pence(balance), receivable: Pence(owed))
    let (wallet, receivable) = try purse.book(Pence(amount), repaysFirst: repays)
    #expect(purse == WalletState(balance: Pence(then), receivable: Pence(owing)))
    #expect(wallet == Pence(then - balance))
    #expect(receivable == Pence(owed - owing))
    #expect(wallet.amount + receivable.amount == amount)
  }
}
