import Money
import Postgres

/// Entries in the order of their scores.
///
/// Settlement and leaderboard rank with this. Source: Racing.docc/Settlement.md, "Ranking".
struct Ranking {
  /// One rank: its entries have equal scores and stand in the order of entered_at, then id.
  struct Group {
    let rank: Int
    let score: Int64
    let members: [(entry: EntryInput, best: BestScore)]
  }

  /// Best first; competition ranking, so a rank is one more than the number of entries before it.
  let groups: [Group]
  /// Entries without a score, by id.
  let unranked: [EntryInput]

  init(_ entries: [EntryInput], type: RaceType) {
    let scored = entries.compactMap { entry in entry.minScore.map { (entry: entry, best: $0) } }
    let ordered = scored.sorted { left, right in
      let (first, second) = (type.merit(of: left.best.score), type.merit(of: right.best.score))
      if first != second { return first > second }
      return (left.entry.enteredAt, left.entry.id) < (right.entry.enteredAt, right.entry.id)
    }
    var groups: [Group] = []
    var start = 0
    while start < ordered.count {
      let score = ordered[start].best.score
      let members = ordered[start...].prefix { $0.best.score == score }
      groups.append(Group(rank: start + 1, score: score, members: Array(members)))
      start += members.count
    }
    self.groups = groups
    unranked = entries.filter { $0.minScore == nil }.sorted { $0.id < $1.id }
  }
}

extension Ranking {
  /// Every entry with its rank and prize; `prizes` are those of the ranked entries in order, and absent ones are zero.
  func entries(prizes: [Pence]) -> [RankedEntry] {
    var remaining = prizes.makeIterator()
    let ranked = groups.flatMap { group in
      group.members.map { entry, best in
        RankedEntry(
          entryId: entry.id, athleteId: entry.athleteId, rank: group.rank, score: best.score,
          activityId: best.activityId, prize: remaining.next() ?? .zero)
      }
    }
    let others = unranked.map {
      RankedEntry(
        entryId: $0.id, athleteId: $0.athleteId, rank: nil, score: nil, activityId: nil, prize: .zero)
    }
    return ranked + others
  }
}
