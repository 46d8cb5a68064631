import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A race")
struct HoldRuleTests {
  @Test(arguments: ["75,20,5", "50,30,20", "35,33,32", "60,39,1"])
  func `a race waits exactly when some combination of held activities changes a payout`(shares: String) throws {
    var random = SeededGenerator()
    var waits = 0
    let races = 1200
    for _ in 0..<races {
      let race = try Self.randomRace(shares: shares, using: &random)
      let changes = try Self.changesPayout(race)
      switch try Settlement.decide(race.input()) {
      case .wait(let reason, let until, let activities):
        waits += 1
        #expect(changes, "\(random) \(race)")
        #expect(until == RaceFixture.holdUntil && reason == .review)
        // The activities named are enough to change a payout, and without them nothing does.
        #expect(try Self.changesPayout(race, among: activities), "\(random) \(race)")
        var others = race
        others.activities.removeAll { activities.contains($0.id) }
        #expect(try !Self.changesPayout(others), "\(random) \(race)")
      case .settle(let result):
        #expect(!changes, "\(random) \(race)")
        #expect(try result == Settlement.settle(race.input()))
      }
    }
    #expect((races / 10..<races * 9 / 10).contains(waits), "\(random): waited \(waits) times")
  }

  @Test(
    arguments: [
      // Scores that count, then (athlete, score) of the held ones; the activities waited for.
      ([9, 8, 7, 6], [(4, 7)], [5]),  // A tie for third.
      ([9, 8, 7, 6], [(4, 6)], []),
      ([9, 8, 7, 5], [(4, 6)], []),
      ([9, 8, 7, nil], [(4, 6)], []),  // Three are certainly ahead.
      ([9, 8, 7, nil], [(4, 7)], [4]),
      ([9, 8, 7], [(1, 12)], []),  // The leader's better activity changes nothing.
      ([9, 8, nil], [(3, 1)], [3]),  // A third place that is filled or not.
      ([nil], [(1, 1)], [1]),  // Paid or void.
      ([9], [(1, 12)], []),
      ([nil, 9], [(1, 5), (1, 4)], [2, 3]),
      ([9, 8, 7, 6, 1], [(5, 5), (5, 2)], []),
      ([9, 8, 1, 3], [(3, 3)], [5]),
    ] as [([Int64?], [(Int, Int64)], [Int64])])
  func `a race waits only for held activities that reach a paid place and another athlete`(
    scores: [Int64?], held: [(Int, Int64)], expected: [Int64]
  ) throws {
    var race = try RaceFixture(scores: scores)
    for (athlete, score) in held { race.add(athlete: athlete, score: score, isHeld: true) }
    let decision = try Settlement.decide(race.input())
    #expect(
      try decision
        == (expected.isEmpty
          ? .settle(Settlement.settle(race.input()))
          : .wait(.review, until: RaceFixture.holdUntil, activities: expected)))
  }

  @Test func `a race with a flagged leader waits, and settles after the hold without the activity`() throws {
    var race = try RaceFixture(scores: [nil, 8, 7, 6])
    race.add(athlete: 1, score: 9, isHeld: true)
    let waiting = SettlementDecision.wait(.review, until: RaceFixture.holdUntil, activities: [4])
    let last = Timestamp(microseconds: RaceFixture.holdUntil.microseconds - 1)
    #expect(try Settlement.decide(race.input(now: last)) == waiting)
    guard case .settle(let result) = try Settlement.decide(race.input(now: RaceFixture.holdUntil)) else {
      Issue.record("still waits")
      return
    }
    #expect(result.payouts.map(\.athleteId) == [2, 3, 4])
  }

  @Test func `a race waits for its due instant, and names no activities meanwhile`() throws {
    let race = try RaceFixture(scores: [1])
    let early = Timestamp(microseconds: RaceFixture.dueAt.microseconds - 1)
    #expect(try Settlement.decide(race.input(now: early)) == .wait(.grace, until: RaceFixture.dueAt, activities: []))
    guard case .settle = try Settlement.decide(race.input(now: RaceFixture.dueAt)) else {
      Issue.record("waits at its due instant")
      return
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a race of 10,000 entries, all of them held, is decided at once`() throws {
    var input = try RaceFixture(athletes: 0).input()
    for id in 1...Int64(10_000) {
      let best = BestScore(score: id, activityId: id)
      let lo = id.isMultiple(of: 2) ? nil : best
      let hi = BestScore(score: id + 1, activityId: id + 20_000)
      input.entries.append(
        EntryInput(id: id, athleteId: id, enteredAt: input.now, fee: Pence(100), minScore: lo, maxScore: hi))
      input.held.append(HeldActivity(id: id + 20_000, athleteId: id))
    }
    let clock = ContinuousClock()
    let start = clock.now
    guard case .wait(_, _, let activities) = try Settlement.decide(input) else {
      Issue.record("does not wait")
      return
    }
    #expect(activities == Array(29_994...30_000))  // The third best that counts is 9995.
    #expect(clock.now - start < .seconds(10))  // Comparing all pairs takes minutes.
  }

  /// Whether the outcomes of all combinations of held activities (of those in `among`, the others not counting) differ.
  private static func changesPayout(_ race: RaceFixture, among: [Int64]? = nil) throws -> Bool {
    let held = race.activities.filter { $0.isHeld && among?.contains($0.id) ?? true }.map(\.id)
    var outcomes: Set<[Int64: Pence]> = []
    for combination in 0..<(1 << held.count) {
      let counting = held.enumerated().filter { combination & (1 << $0.offset) != 0 }.map(\.element)
      let result = try Settlement.settle(race.decided(counting: Set(counting)).input())
      outcomes.insert(Dictionary(result.payouts.map { ($0.entryId, $0.amount) }) { first, _ in first })
    }
    return outcomes.count > 1
  }

  /// At most six athletes with few different scores, and at most five held activities.
  private static func randomRace(shares: String, using random: inout SeededGenerator) throws -> RaceFixture {
    var race = try RaceFixture(athletes: Int.random(in: 1...6, using: &random))
    race.shares = try PrizeShares(text: shares)
    race.type = RaceType.allCases.randomElement(using: &random) ?? .topSpeed
    race.fee = Pence([100, 499, 1599].randomElement(using: &random) ?? 100)
    let scores = Int64.random(in: 1...12, using: &random)
    for athlete in 1...race.athletes where Int.random(in: 0..<5, using: &random) > 0 {
      race.add(athlete: athlete, score: Int64.random(in: 1...scores, using: &random))
    }
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      let athlete = Int.random(in: 1...race.athletes, using: &random)
      race.add(athlete: athlete, score: Int64.random(in: 1...scores, using: &random), isHeld: true)
    }
    return race
  }
}
