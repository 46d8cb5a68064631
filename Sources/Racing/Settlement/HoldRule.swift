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
