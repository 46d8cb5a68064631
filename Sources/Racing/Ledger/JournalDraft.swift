import Money

/// The gain or loss of an athlete in one journal.
struct LedgerLine: Hashable, Sendable {
  let athleteId: Int64
  let entryId: Int64
  /// Negative: taken back.
  let amount: Pence
  /// Whether a gain repays what the athlete owes first: prizes and corrections do, a fee that goes back does not.
  let repaysFirst: Bool
}

/// A journal to be booked: what leaves the race's pool and what the platform gains stand against the lines.
struct JournalDraft: Sendable {
  enum Kind: String, Sendable {
    case prize, refund, correction
  }

  let kind: Kind
  /// Makes a second booking impossible.
  let key: String
  let raceId: Int64
  let description: String
  /// The pence that leave the pool account of the race; zero where nothing does.
  let pool: Pence
  /// The one entry whose fee leaves the pool, where it is one.
  var poolEntry: Int64?
  /// The platform's gain; negative where it gives back.
  var platform = Pence.zero
  let lines: [LedgerLine]
}
