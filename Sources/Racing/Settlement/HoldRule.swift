/// Whose held activities can still change a payout.
///
/// An athlete's score lies somewhere between lo (no held activity counts) and hi (all count); both ends are possible.
/// The rule finds the athletes who make a race wait: lo and hi differ, fewer than three others have a lo better than
/// that hi, and there is no lo, or the interval touches another athlete's.
///
/// Why this is right. With three others certainly ahead an athlete is never paid, and leaves all three places filled. An
/// athlete whose interval touches no other has the same rank in every outcome. So without a waiting athlete every
/// outcome pays the same. With one, an outcome exists in which this athlete, or the one touched, moves past or into a
/// tie with the other at a paid place. (Places are compared, not pence: where a tie of hundreds shares a few pence, a
/// change of place may by rounding leave every amount as it was. The race waits all the same.)
///
/// O(n log n) for n entries, however many are held. Source: Racing.docc/Holds.md, "The rule".
struct HoldRule {
  /// By athlete, as merits (larger is better, see `RaceType`). No lo: below every other number.
  private var intervals: [(athleteId: Int64, lo: Int64?, hi: Int64)] = []
  private var sortedLows: [Int64?] = []
  private var sortedHighs: [Int64] = []

  init(_ entries: [EntryInput], type: RaceType) {
    // Nothing is held in most races.
    guard entries.contains(where: { $0.lo != $0.hi }) else { return }
    for entry in entries {
      let lo = entry.lo.map { type.merit(of: $0.score) }
      guard let best = entry.hi.map({ type.merit(of: $0.score) }) ?? lo else { continue }
      intervals.append((entry.athleteId, lo, max(best, lo ?? best)))
    }
    sortedLows = intervals.map(\.lo).sorted(by: Self.isBelow)
    sortedHighs = intervals.map(\.hi).sorted()
  }

  /// The athletes who make the race wait; empty when no combination of held activities changes a payout.
  var waitingAthletes: Set<Int64> {
    let waiting = intervals.filter { $0.lo != $0.hi && isInReach($0.hi) && touchesAnother(lo: $0.lo, hi: $0.hi) }
    return Set(waiting.map(\.athleteId))
  }

  /// Whether fewer than three have a lo better than `hi`: whether the third best lo of all is none of them.
  ///
  /// The athlete's own lo is never better than its hi, so that all are the same as the others.
  private func isInReach(_ hi: Int64) -> Bool {
    guard sortedLows.count >= 3, let third = sortedLows[sortedLows.count - 3] else { return true }
    return third <= hi
  }

  /// Counts the intervals that begin at or below `hi`, less those that end below `lo`; one of them is the athlete's own.
  private func touchesAnother(lo: Int64?, hi: Int64) -> Bool {
    guard let lo else { return true }
    let begun = sortedLows.prefixCount { !Self.isBelow(hi, $0) }
    let over = sortedHighs.prefixCount { $0 < lo }
    return begun - over > 1
  }

  private static func isBelow(_ left: Int64?, _ right: Int64?) -> Bool {
    guard let right else { return false }
    return left.map { $0 < right } ?? true
  }
}

extension Array {
  /// How many elements at the front satisfy a condition that none satisfies after the first that does not.
  fileprivate func prefixCount(where condition: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
