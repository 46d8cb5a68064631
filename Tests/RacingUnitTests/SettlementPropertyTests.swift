import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Any settlement")
struct SettlementPropertyTests {
  @Test func `any settlement divides all charges, never pays a worse place more, and ignores input order`() throws {
    var random = SeededGenerator()
    for _ in 0..<1500 {
      let input = try Self.randomInput(using: &random)
      let result = try Settlement.settle(input)
      let charged = try Pence.sum(input.entries.map(\.fee))
      let paid = try Pence.sum(result.payouts.map(\.amount))
      #expect(try result.platformFee + paid == result.fees, "\(random)")
      #expect(try result.platformFee + result.pool == result.fees, "\(random)")
      #expect(try Pence.sum(result.refunds.map(\.amount)) + result.fees == charged, "\(random)")
      #expect(result.outcome == (input.entries.contains { $0.minScore != nil } ? .paid : .void), "\(random)")

      let prizes = result.ranking.map(\.prize)
      for (better, worse) in zip(result.ranking, result.ranking.dropFirst()) where better.rank != worse.rank {
        #expect(better.prize >= worse.prize, "\(random)")
      }
      #expect(prizes.isEmpty || result.outcome == .void || prizes.contains { $0 > .zero } || result.pool == .zero)

      #expect(result.ranking.map(\.entryId).sorted() == input.entries.map(\.id).sorted(), "\(random)")
      for entry in result.ranking { #expect(entry.rank == Self.rank(of: entry, in: input), "\(random)") }

      var shuffled = input
      shuffled.entries.shuffle(using: &random)
      shuffled.held.shuffle(using: &random)
      #expect(try Settlement.settle(shuffled) == result, "\(random)")
      #expect(try Settlement.decide(shuffled) == Settlement.decide(input), "\(random)")
      #expect(shuffled.canonicalInput == input.canonicalInput, "\(random)")
    }
  }

  /// One more than the number of entries with a better score.
  private static func rank(of entry: RankedEntry, in input: SettlementInput) -> Int? {
    guard let score = entry.score else { return nil }
    let better = input.entries.compactMap(\.minScore?.score).filter { input.type.isBetter($0, than: score) }
    return better.count + 1
  }

  private static func randomInput(using random: inout SeededGenerator) throws -> SettlementInput {
    var race = try RaceFixture(athletes: Int.random(in: 0...30, using: &random))
    race.type = RaceType.allCases.randomElement(using: &random) ?? .topSpeed
    race.percent = try Percent(hundredths: Int64.random(in: 0...5000, using: &random))
    race.shares = try PrizeShares(
      text: ["75,20,5", "50,30,20", "35,33,32", "97,2,1"].randomElement(using: &random) ?? "")
    race.fee = Pence(Int64.random(in: 0...1599, using: &random))
    let scores = Int64.random(in: 1...20, using: &random)
    for athlete in 1..<(race.athletes + 1) {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let isHeld = Int.random(in: 0..<4, using: &random) == 0
        race.add(athlete: athlete, score: Int64.random(in: 1...scores, using: &random), isHeld: isHeld)
      }
    }
    var input = race.input()
    if Bool.random(using: &random) {
      input.entries = input.entries.map { entry in
        EntryInput(
          id: entry.id, athleteId: entry.athleteId,
          enteredAt: Timestamp(microseconds: Int64.random(in: 0...3, using: &random)),
          fee: Pence(Int64.random(in: 0...5, using: &random)), minScore: entry.minScore, maxScore: entry.maxScore)
      }
    }
    return input
  }
}
