import Money
import Postgres
import TestSupport

@testable import Racing

/// A race with one activity for each score, to be settled in a test.
struct RaceFixture {
  struct Activity {
    let id: Int64
    let athleteId: Int64
    let score: Int64
    let isHeld: Bool
  }

  static let dueAt = Timestamp(microseconds: 1_000_000)
  static let holdUntil = Timestamp(microseconds: 2_000_000)
  /// The default ends of claims' holds.
  static let claimUntil = Timestamp(microseconds: 1_200_000)

  var type = RaceType.topSpeed
  var fee = Pence(100)
  var shares: PrizeShares
  var percent: Percent
  /// Athlete n has entry 100 + n, entered in the order of n.
  var athletes: Int
  var activities: [Activity] = []
  var claims: [HeldClaim] = []
  var unlisted: [UnlistedEntrant] = []

  init(athletes: Int) throws {
    self.athletes = athletes
    shares = try PrizeShares(75, 20, 5)
    percent = try Percent(hundredths: 100)
  }

  /// One athlete for each number, nil for one without a score.
  init(scores: [Int64?]) throws {
    try self.init(athletes: scores.count)
    for (index, score) in scores.enumerated() { score.map { add(athlete: index + 1, score: $0) } }
  }

  mutating func add(athlete: Int, score: Int64, isHeld: Bool = false) {
    let id = Int64(activities.count + 1)
    activities.append(Activity(id: id, athleteId: Int64(athlete), score: score, isHeld: isHeld))
  }

  /// Claims have ids from 501.
  mutating func claim(athlete: Int, until: Timestamp = claimUntil) {
    claims.append(HeldClaim(id: Int64(501 + claims.count), athleteId: Int64(athlete), until: until))
  }

  func input(now: Timestamp = dueAt) -> SettlementInput {
    let entries = (0..<athletes).map { index in
      let own = activities.filter { $0.athleteId == index + 1 }
      return EntryInput(
        id: Int64(101 + index), athleteId: Int64(index + 1), enteredAt: Timestamp(microseconds: Int64(index)), fee: fee,
        minScore: best(own.filter { !$0.isHeld }), maxScore: best(own))
    }
    let held = activities.filter { activity in
      let lo = entries[Int(activity.athleteId) - 1].minScore?.score
      return activity.isHeld && lo.map { type.isBetter(activity.score, than: $0) } ?? true
    }
    return SettlementInput(
      raceId: 7, type: type, shares: shares, percent: percent, entryFee: fee, dueAt: Self.dueAt,
      holdUntil: Self.holdUntil, entries: entries, held: held.map { HeldActivity(id: $0.id, athleteId: $0.athleteId) },
      claims: claims, unlisted: unlisted, now: now)
  }

  /// The same race with some held activities decided: those of `counting` count, all other held ones do not.
  func decided(counting: Set<Int64>) -> RaceFixture {
    var copy = self
    copy.activities = activities.filter { !$0.isHeld || counting.contains($0.id) }
      .map { Activity(id: $0.id, athleteId: $0.athleteId, score: $0.score, isHeld: false) }
    return copy
  }

  private func best(_ activities: [Activity]) -> BestScore? {
    activities.reduce(nil) { best, next in
      guard let best, !type.isBetter(next.score, than: best.score) else {
        return BestScore(score: next.score, activityId: next.id)
      }
      return best
    }
  }
}
