import Money

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
