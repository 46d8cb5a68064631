import Money

/// A revision as it is written: the first of a race, or a correction.
struct WrittenRevision {
  let raceId: Int64
  let number: Int
  let result: SettlementResult
  /// The canonical text of the inputs, kept as its hash.
  let input: String
  let counted: [Int64]
  let held: [Int64]
  /// Nil where nothing is booked.
  let journalKey: String?
}

/// What an entry becomes.
struct EntryOutcome {
  let entryId: Int64
  /// The status it must have now.
  let from: String
  let status: String
  let rank: Int?
  let score: Int64?
  let activityId: Int64?
  let prize: Pence

  init(_ entry: RankedEntry, isVoid: Bool, from: String) {
    entryId = entry.entryId
    self.from = from
    status = isVoid ? "refunded" : "completed"
    rank = entry.rank
    score = entry.score
    activityId = entry.activityId
    prize = entry.prize
  }

  init(takenOut entry: Int64) {
    entryId = entry
    from = "completed"
    status = "disqualified"
    rank = nil
    score = nil
    activityId = nil
    prize = .zero
  }
}
