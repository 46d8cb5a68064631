import Money
import Postgres
import Testing

@testable import Racing

@Suite("A settlement")
struct SettlementTests {
  @Test(
    arguments: [
      (34, 100, 34, 3366, [2525, 673, 168]), (89, 499, 444, 43_967, [32_975, 8794, 2198]), (1, 499, 4, 495, [495]),
    ] as [(Int, Int64, Int64, Int64, [Int64])])
  func `a settlement pays the worked examples of the rules`(
    entries: Int, fee: Int64, platform: Int64, pool: Int64, prizes: [Int64]
  )
    throws
  {
    var race = try RaceFixture(scores: (0..<entries).map { Int64(5000 - $0) })
    race.fee = Pence(fee)
    let result = try Settlement.settle(race.input())
    #expect(result.outcome == .paid)
    #expect(result.fees == Pence(fee * Int64(entries)))
    #expect(result.platformFee == Pence(platform))
    #expect(result.pool == Pence(pool))
    #expect(result.payouts.map(\.amount.amount) == prizes)
    #expect(result.payouts.map(\.place) == Array(1...prizes.count))
    #expect(result.refunds.isEmpty)
  }

  @Test(
    arguments: [
      // Ten entries of 100 p: a pool of 990, and so 742.5, 198 and 49.5.
      (.topSpeed, [5, 9, 7], [3, 1, 2], [49, 743, 198]),
      (.fastest1km, [5, 9, 7], [1, 3, 2], [743, 49, 198]),
      (.furthestDistance, [9, 9, 7], [1, 1, 3], [471, 470, 49]),
      (.fastest5km, [7, 9, 9], [1, 2, 2], [743, 124, 123]),
      (.topSpeed, [9, 9, 9, 9], [1, 1, 1, 1], [248, 248, 247, 247]),
      (.topSpeed, [9, 8, 7, 7, 7], [1, 2, 3, 3, 3], [743, 198, 17, 16, 16]),
      (.topSpeed, [9, 8, 8, 7], [1, 2, 2, 4], [743, 124, 123, 0]),
      (.topSpeed, [9, 8], [1, 2], [782, 208]),
      (.topSpeed, [9, 9], [1, 1], [495, 495]),
      (.topSpeed, [nil, 9], [nil, 1], [0, 990]),
      (.topSpeed, [7, 8, 9, 10], [4, 3, 2, 1], [0, 49, 198, 743]),
    ] as [(RaceType, [Int64?], [Int?], [Int64])])
  func `a settlement ranks by score, shares a tie, and leaves entries without a score unranked`(
    type: RaceType, scores: [Int64?], ranks: [Int?], prizes: [Int64]
  ) throws {
    var race = try RaceFixture(scores: scores + Array(repeating: nil, count: 10 - scores.count))
    race.type = type
    let result = try Settlement.settle(race.input())
    let byId = result.ranking.sorted { $0.entryId < $1.entryId }.prefix(scores.count)
    #expect(byId.map(\.rank) == ranks)
    #expect(byId.map(\.prize.amount) == prizes)
    #expect(byId.map(\.score) == scores)
    #expect(result.ranking.count == 10)
    #expect(!result.payouts.contains { $0.amount == .zero })
  }

  @Test func `a settlement gives odd pence of a tie by entry time, then id, and sorts payouts by entry`()
    throws
  {
    var input = try RaceFixture(athletes: 0).input()
    let best = BestScore(score: 9, activityId: 1)
    for (id, enteredAt) in [(1, 30), (2, 20), (3, 10), (4, 20)] as [(Int64, Int64)] {
      input.entries.append(
        EntryInput(
          id: id, athleteId: id, enteredAt: Timestamp(microseconds: enteredAt), fee: Pence(100), minScore: best,
          maxScore: best))
    }
    let result = try Settlement.settle(input)  // A pool of 396, ties for four places: 99 each.
    #expect(result.ranking.map(\.entryId) == [3, 2, 4, 1])
    input.entries.append(
      EntryInput(id: 5, athleteId: 5, enteredAt: input.now, fee: Pence(102), minScore: nil, maxScore: nil))
    let odd = try Settlement.settle(input)  // 497 among four.
    #expect(odd.pool == Pence(497))
    #expect(odd.payouts.map(\.entryId) == [1, 2, 3, 4])
    #expect(odd.payouts.map(\.amount.amount) == [124, 124, 125, 124])
    #expect(odd.payouts.map(\.place) == [1, 1, 1, 1])
  }

  @Test func `a settlement without a ranked entry is void and refunds each entry's own fee`() throws {
    var input = try RaceFixture(scores: [nil, nil]).input()
    input.entries.append(
      EntryInput(id: 1, athleteId: 9, enteredAt: input.now, fee: Pence(499), minScore: nil, maxScore: nil))
    let result = try Settlement.settle(input)
    #expect(result.outcome == .void)
    #expect([result.fees, result.platformFee, result.pool] == [.zero, .zero, .zero])
    #expect(result.refunds.map(\.entryId) == [1, 101, 102])
    #expect(result.refunds.map(\.amount.amount) == [499, 100, 100])
    #expect(result.ranking.map(\.rank) == [nil, nil, nil])
    #expect(result.payouts.isEmpty)
  }

  @Test func `a settlement without entries is void and books nothing`() throws {
    let result = try Settlement.settle(RaceFixture(athletes: 0).input())
    #expect(result.outcome == .void)
    #expect(result.ranking.isEmpty && result.payouts.isEmpty && result.refunds.isEmpty)
  }

  @Test func `a settlement refuses fees that are negative or overflow together`() throws {
    var race = try RaceFixture(scores: [1, 2])
    race.fee = Pence(-1)
    #expect(throws: MoneyError.self) { try Settlement.settle(race.input()) }
    race.fee = Pence(.max)
    #expect(throws: MoneyError.self) { try Settlement.decide(race.input()) }
  }

  @Test func `a settlement ranks the smallest and the largest scores without a trap`() throws {
    for type in RaceType.allCases {
      var race = try RaceFixture(scores: [.min, .max, 0])
      race.add(athlete: 3, score: .min, isHeld: true)
      race.add(athlete: 1, score: .max, isHeld: true)
      race.type = type
      guard case .wait = try Settlement.decide(race.input()) else {
        Issue.record("\(type) does not wait")
        continue
      }
    }
  }

  @Test func `a settlement's input text depends on all inputs, but neither on their order nor the time`() throws {
    var race = try RaceFixture(scores: [3, nil, 5])
    race.add(athlete: 2, score: 4, isHeld: true)
    race.add(athlete: 3, score: 6, isHeld: true)
    race.claim(athlete: 2)
    race.claim(athlete: 1)
    let input = race.input()
    #expect(
      input.canonicalInput == """
        settlement-2 7 top_speed 75,20,5 1.00 100
        entry 101 1 0 100 3:1 3:1
        entry 102 2 1 100 - 4:3
        entry 103 3 2 100 5:2 6:4
        held 3 2
        held 4 3
        claim 501 2
        claim 502 1

        """)
    // By `sha256sum` of this text.
    #expect(input.hash == "f077d22a1adf67d73ecfff912a906e4e92fa009ea8b31568d74c89588f98d57b")
    var reordered = input
    reordered.entries.reverse()
    reordered.held.reverse()
    reordered.claims = input.claims.reversed().map {
      HeldClaim(id: $0.id, athleteId: $0.athleteId, until: RaceFixture.holdUntil)
    }
    (reordered.now, reordered.dueAt) = (RaceFixture.holdUntil, RaceFixture.holdUntil)
    reordered.holdUntil = Timestamp(microseconds: 3_000_000)
    #expect(reordered.canonicalInput == input.canonicalInput)

    let changes: [(inout SettlementInput) throws -> Void] = [
      { $0.raceId = 8 }, { $0.type = .fastest1km }, { $0.shares = try PrizeShares(60, 30, 10) },
      { $0.percent = try Percent(hundredths: 99) }, { $0.entryFee = Pence(101) },
      { $0.entries.removeLast() }, { $0.held.removeLast() },
      { $0.claims.removeLast() },
    ]
    for (index, change) in changes.enumerated() {
      var changed = input
      try change(&changed)
      #expect(changed.canonicalInput != input.canonicalInput, "change \(index)")
    }
  }
}
