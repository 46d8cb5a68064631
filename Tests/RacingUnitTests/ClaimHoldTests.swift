import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Holds.md, "Claims".
@Suite("A race with claims") struct ClaimHoldTests {
  private static let (due, claimEnd, holdEnd) = (RaceFixture.dueAt, RaceFixture.claimUntil, RaceFixture.holdUntil)
  /// The end of another claim's hold: its read waits for the provider's limit.
  private static let unreadEnd = Timestamp(microseconds: 1_600_000)

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a race waits exactly while some outcome of its reviews and claims changes a payout`(part: UInt64) throws {
    var random = SeededGenerator()
    var waits: [WaitReason: Int] = [:]
    let races = 400
    for _ in 0..<races {
      let race = try Self.randomRace(using: &random)
      let instants = [Self.due, Self.claimEnd, Self.unreadEnd, Timestamp(microseconds: 1_999_999)]
      let now = try #require(instants.randomElement(using: &random))
      let (changes, reviewsChange) = (try Self.changes(race, at: now), try Self.changes(race.without(claims: true)))
      switch try Settlement.decide(race.input(now: now)) {
      case .wait(let reason, let until, let activities):
        waits[reason, default: 0] += 1
        #expect(changes && reason == (reviewsChange ? .review : .provider), "\(random) \(race)")
        // What is named is enough to change a payout, and without it nothing does.
        #expect(try Self.changes(race.keeping(activities), at: now), "\(random) \(race)")
        #expect(try !Self.changes(race.without(activities), at: now), "\(random) \(race)")
        // The wait ends at the first instant at which nothing changes a payout, if nothing else happens.
        let ends = [Self.claimEnd, Self.unreadEnd].filter { $0 > now }
        #expect(try until == ends.first { try !Self.changes(race, at: $0) } ?? Self.holdEnd, "\(random) \(race)")
      case .settle(let result):
        #expect(!changes, "\(random) \(race)")
        #expect(try result == Settlement.settle(race.input()))
      }
    }
    #expect(waits[.review] ?? 0 > races / 20 && waits[.provider] ?? 0 > races / 20, "\(random): \(waits)")
  }

  @Test func `a race waits for the listing of an entrant who may be paid, and names no activity`() throws {
    var race = try RaceFixture(scores: [9, 8, 7, nil])
    race.unlisted = [UnlistedEntrant(athleteId: 4, until: Self.unreadEnd)]
    #expect(try Settlement.decide(race.input()) == .wait(.provider, until: Self.unreadEnd, activities: []))
    // A claim whose hold ends earlier makes it no shorter.
    race.claim(athlete: 3)
    #expect(try Settlement.decide(race.input()) == .wait(.provider, until: Self.unreadEnd, activities: [501]))
    #expect(try Settlement.decide(race.input(now: Self.unreadEnd)) == .settle(Settlement.settle(race.input())))
    // A void race is final, and the leader only leads by more.
    var void = try RaceFixture(scores: [nil, nil])
    void.unlisted = [UnlistedEntrant(athleteId: 1, until: Self.unreadEnd)]
    #expect(try Settlement.decide(void.input()) == .wait(.provider, until: Self.holdEnd, activities: []))
    var led = try RaceFixture(scores: [9, 8, 7])
    led.unlisted = [UnlistedEntrant(athleteId: 1, until: Self.unreadEnd)]
    #expect(try Settlement.decide(led.input()) == .settle(Settlement.settle(led.input())))
    #expect(led.input().canonicalInput.hasSuffix("unlisted 1\n"))
  }

  @Test(
    arguments: [
      // Scores that count, then the athletes with claims; the claims waited for.
      ([9, 8, 7, 6], [4], [501]),  // It may beat everyone.
      ([9, 8, 7, nil], [4], [501]),  // Three are ahead, and it may be faster than they are.
      ([9, 8, 7], [1], []),  // The leader only leads by more.
      ([9, 9, 7], [1], [501]),  // One of two leaders may leave the other behind.
      ([9], [1], []),  // One athlete takes all in any case.
      ([9, 8, 7], [1, 2], [501, 502]),
    ] as [([Int64?], [Int], [Int64])])
  func `a race waits for the claims of those who may pass another athlete`(
    scores: [Int64?], claimants: [Int], expected: [Int64]
  ) throws {
    for type in RaceType.allCases {
      var race = try RaceFixture(scores: scores.map { $0.map { type.higherIsBetter ? $0 : 10 - $0 } })
      race.type = type
      for athlete in claimants { race.claim(athlete: athlete) }
      let decision = try Settlement.decide(race.input())
      #expect(
        try decision
          == (expected.isEmpty
            ? .settle(Settlement.settle(race.input())) : .wait(.provider, until: Self.claimEnd, activities: expected)))
    }
  }

  @Test func `a race settles without a claim at the end of its hold, not a microsecond before`() throws {
    var race = try RaceFixture(scores: [9, 8, 7, 6])
    race.claim(athlete: 4)
    let last = Timestamp(microseconds: Self.claimEnd.microseconds - 1)
    #expect(
      try Settlement.decide(race.input(now: last)) == .wait(.provider, until: Self.claimEnd, activities: [501]))
    #expect(
      try Settlement.decide(race.input(now: Self.claimEnd)) == .settle(Settlement.settle(race.input())))
  }

  @Test func `a claim never holds a race longer than its reviews would`() throws {
    var race = try RaceFixture(scores: [9, 8])
    race.claim(athlete: 2, until: Timestamp(microseconds: 9_000_000))
    #expect(
      try Settlement.decide(race.input()) == .wait(.provider, until: Self.holdEnd, activities: [501]))
    #expect(try Settlement.decide(race.input(now: Self.holdEnd)) == .settle(Settlement.settle(race.input())))
  }

  @Test func `a race that would be void waits for its claims as long as for reviews`() throws {
    var race = try RaceFixture(scores: [nil, nil])
    race.claim(athlete: 2)
    for instant in [Self.due, Self.claimEnd, Timestamp(microseconds: 1_999_999)] {
      #expect(
        try Settlement.decide(race.input(now: instant)) == .wait(.provider, until: Self.holdEnd, activities: [501]))
    }
    guard case .settle(let result) = try Settlement.decide(race.input(now: Self.holdEnd)) else {
      Issue.record("still waits")
      return
    }
    #expect(result.outcome == .void)
    race.claims = []
    guard case .settle = try Settlement.decide(race.input()) else {
      Issue.record("waits for nothing")
      return
    }
  }

  @Test func `a race that waits for a review names the claims that matter beside it, and then the review alone`() throws
  {
    var race = try RaceFixture(scores: [9, 8, 7, 6])
    race.add(athlete: 4, score: 10, isHeld: true)
    race.claim(athlete: 2)
    #expect(try Settlement.decide(race.input()) == .wait(.review, until: Self.holdEnd, activities: [5, 501]))
    #expect(
      try Settlement.decide(race.input(now: Self.claimEnd)) == .wait(.review, until: Self.holdEnd, activities: [5]))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a race of 10,000 entries with a claim each is decided at once`() throws {
    var input = try RaceFixture(athletes: 0).input()
    for id in 1...Int64(10_000) {
      let best = BestScore(score: id, activityId: id)
      input.entries.append(
        EntryInput(id: id, athleteId: id, enteredAt: input.now, fee: Pence(100), minScore: best, maxScore: best))
      input.claims.append(HeldClaim(id: id + 20_000, athleteId: id, until: Timestamp(microseconds: 1_000_001 + id)))
    }
    let clock = ContinuousClock()
    let start = clock.now
    guard case .wait(_, let until, let claims) = try Settlement.decide(input) else {
      Issue.record("does not wait")
      return
    }
    // The leader's claim ends last; all others end a microsecond before.
    #expect(claims.count == 10_000 && until == Timestamp(microseconds: 1_010_000))
    #expect(clock.now - start < .seconds(10))  // Trying all ends takes minutes.
  }

  /// Whether payouts differ among the outcomes of what still holds at an instant, by brute force: each held activity
  /// counts or does not, and each claim counts with any score or does not.
  private static func changes(_ race: RaceFixture, at now: Timestamp = due) throws -> Bool {
    let isVoid = race.activities.allSatisfy(\.isHeld)
    let claims = race.claims.filter { now < (isVoid ? holdEnd : $0.until) }
    let held = race.activities.filter(\.isHeld).map(\.id)
    let scores: [Int64?] = [nil] + (0...9).map { $0 }
    var outcomes: Set<[Int64: Pence]> = []
    for combination in 0..<(1 << held.count) {
      let counting = held.enumerated().filter { combination & (1 << $0.offset) != 0 }.map(\.element)
      let decided = race.decided(counting: Set(counting))
      var picks = [0]
      for _ in claims { picks = picks.flatMap { pick in scores.indices.map { pick * scores.count + $0 } } }
      for pick in picks {
        var (outcome, rest) = (decided, pick)
        for claim in claims {
          if let score = scores[rest % scores.count] { outcome.add(athlete: Int(claim.athleteId), score: score) }
          rest /= scores.count
        }
        outcome.claims = []
        let payouts = try Settlement.settle(outcome.input()).payouts
        outcomes.insert(Dictionary(payouts.map { ($0.entryId, $0.amount) }) { first, _ in first })
        if outcomes.count > 1 { return true }
      }
    }
    return false
  }

  /// Athletes with scores of 2 to 7, so that a claim may be better or worse than all.
  private static func randomRace(using random: inout SeededGenerator) throws -> RaceFixture {
    var race = try RaceFixture(athletes: Int.random(in: 1...6, using: &random))
    race.type = RaceType.allCases.randomElement(using: &random) ?? .topSpeed
    let scores = Int64.random(in: 2...7, using: &random)
    let staysAtHome = Int.random(in: 1...5, using: &random)
    for athlete in 1...race.athletes where Int.random(in: 0..<5, using: &random) < staysAtHome {
      race.add(athlete: athlete, score: Int64.random(in: 2...scores, using: &random))
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let athlete = Int.random(in: 1...race.athletes, using: &random)
      race.add(athlete: athlete, score: Int64.random(in: 2...scores, using: &random), isHeld: true)
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      race.claim(
        athlete: Int.random(in: 1...race.athletes, using: &random),
        until: Bool.random(using: &random) ? claimEnd : unreadEnd)
    }
    return race
  }
}

extension RaceFixture {
  fileprivate func without(claims: Bool) -> RaceFixture {
    var copy = self
    if claims { copy.claims = [] }
    return copy
  }

  /// Without these of what is held; what counts stays.
  fileprivate func without(_ ids: [Int64]) -> RaceFixture {
    var copy = self
    copy.activities.removeAll { $0.isHeld && ids.contains($0.id) }
    copy.claims.removeAll { ids.contains($0.id) }
    return copy
  }

  fileprivate func keeping(_ ids: [Int64]) -> RaceFixture {
    without((activities.map(\.id) + claims.map(\.id)).filter { !ids.contains($0) })
  }
}
