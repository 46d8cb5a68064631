import Postgres

/// The wait of a race that is due: for reviews of held activities, or for the provider's word on claims and on entrants
/// who are not listed.
///
/// The score of a claim is unknown, and so is that of an entrant who is not listed. So each counts as one held activity
/// that may have any score, or none. Source:
/// Racing.docc/Holds.md.
struct Hold {
  private let input: SettlementInput
  /// Whether the race would be void, which is final: then no hold of a claim or a listing ends before that of reviews.
  private let isVoid: Bool

  init(_ input: SettlementInput) {
    self.input = input
    isVoid = input.entries.allSatisfy { $0.minScore == nil }
  }

  /// Nil where nothing that is held can change a payout.
  ///
  /// It waits for claims and listings alone where reviews alone do not make it wait: then the claims named can change a
  /// payout by themselves. Otherwise it names what is held of both kinds.
  var wait: SettlementDecision? {
    let waiting = athletes(at: input.now)
    guard !waiting.isEmpty else { return nil }
    let claims = input.claims.filter { holds($0, at: input.now) && waiting.contains($0.athleteId) }.map(\.id)
    if athletes(at: input.now, claims: false).isEmpty {
      let untils = input.claims.map(\.until) + input.unlisted.map(\.until)
      let ends = Set(untils.map(end).filter { $0 > input.now }).sorted()
      // A hold that ends makes nobody else wait.
      let waits = ends.prefixCount { !athletes(at: $0).isEmpty }
      let until = waits < ends.count ? ends[waits] : input.holdUntil
      return .wait(.provider, until: until, activities: claims.sorted())
    }
    let held = input.held.filter { waiting.contains($0.athleteId) }.map(\.id)
    return .wait(.review, until: input.holdUntil, activities: (held + claims).sorted())
  }

  /// The athletes who make the race wait at an instant.
  private func athletes(at instant: Timestamp, claims: Bool = true) -> Set<Int64> {
    guard instant < input.holdUntil else { return [] }
    let claimants =
      claims
      ? Set(input.claims.filter { holds($0, at: instant) }.map(\.athleteId))
        .union(input.unlisted.filter { instant < end($0.until) }.map(\.athleteId)) : []
    return HoldRule(input.entries, claimants: claimants, type: input.type).waitingAthletes
  }

  private func holds(_ claim: HeldClaim, at instant: Timestamp) -> Bool { instant < end(claim.until) }

  private func end(_ until: Timestamp) -> Timestamp { isVoid ? input.holdUntil : min(until, input.holdUntil) }
}

/// The athletes whose held activities or claims can still change a payout.
///
/// An athlete's score lies somewhere between minScore (nothing held counts) and maxScore (all count); both ends are
/// possible. The rule finds the athletes who make a race wait: minScore and maxScore differ, fewer than three others
/// have a minScore better than that maxScore, and there is no minScore, or the interval touches another athlete's.
///
/// Why this is right. With three others certainly ahead an athlete is never paid, and leaves all three places filled.
/// An athlete whose interval touches no other has the same rank in every outcome. So without a waiting athlete every
/// outcome pays the same. With one, an outcome exists in which this athlete, or the one touched, moves past or into a
/// tie with the other at a paid place. (Places are compared, not pence: where a tie of hundreds shares a few pence, a
/// change of place may by rounding leave every amount as it was. The race waits nevertheless.) An athlete with a claim
/// is never out of reach of a paid place, so only one whom nobody can catch delays nobody.
///
/// O(n log n) for n entries, however many are held. Source: Racing.docc/Holds.md, "The rule".
struct HoldRule {
  /// By athlete, as merits (larger is better, see `RaceType`). No minScore: below every other number.
  private var intervals: [(athleteId: Int64, minScore: Int64?, maxScore: Int64)] = []
  private var sortedMinima: [Int64?] = []
  private var sortedMaxima: [Int64] = []

  /// `claimants` have a held claim, whose score may be any: their maxScore is beyond every other.
  init(_ entries: [EntryInput], claimants: Set<Int64> = [], type: RaceType) {
    // Nothing is held in most races.
    guard !claimants.isEmpty || entries.contains(where: { $0.minScore != $0.maxScore }) else { return }
    for entry in entries {
      let minScore = entry.minScore.map { type.merit(of: $0.score) }
      let claimed = claimants.contains(entry.athleteId) ? Int64.max : nil
      guard let best = claimed ?? entry.maxScore.map({ type.merit(of: $0.score) }) ?? minScore else { continue }
      intervals.append((entry.athleteId, minScore, max(best, minScore ?? best)))
    }
    sortedMinima = intervals.map(\.minScore).sorted(by: Self.isBelow)
    sortedMaxima = intervals.map(\.maxScore).sorted()
  }

  /// The athletes who make the race wait; empty when no combination of held activities changes a payout.
  var waitingAthletes: Set<Int64> {
    let waiting = intervals.filter {
      $0.minScore != $0.maxScore && isInReach($0.maxScore)
        && touchesAnother(minScore: $0.minScore, maxScore: $0.maxScore)
    }
    return Set(waiting.map(\.athleteId))
  }

  /// Whether fewer than three have a minScore better than `maxScore`: whether the third
  /// best minScore of all is none of them.
  ///
  /// The athlete's own minScore is never better than its maxScore, so that all are the same as the others.
  private func isInReach(_ maxScore: Int64) -> Bool {
    guard sortedMinima.count >= 3, let third = sortedMinima[sortedMinima.count - 3] else { return true }
    return third <= maxScore
  }

  /// Counts the intervals that begin at or below `maxScore`, less those that end below
  /// `minScore`; one of them is the athlete's own.
  private func touchesAnother(minScore: Int64?, maxScore: Int64) -> Bool {
    guard let minScore else { return true }
    let begun = sortedMinima.prefixCount { !Self.isBelow(maxScore, $0) }
    let over = sortedMaxima.prefixCount { $0 < minScore }
    return begun - over > 1
  }

  private static func isBelow(_ left: Int64?, _ right: Int64?) -> Bool {
    guard let right else { return false }
    return left.map { $0 < right } ?? true
  }
}

extension Array {
  /// How many elements at the front satisfy a condition that none satisfies after the first that does not.
  func prefixCount(where condition: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
