package import Money
package import Postgres

/// Everything a settlement depends on, read under the race's lock.
///
/// The order of `entries`, `held`, `claims` and `unlisted` means nothing.
package struct SettlementInput: Hashable, Sendable {
  package var raceId: Int64
  package var type: RaceType
  package var shares: PrizeShares
  package var percent: Percent
  package var entryFee: Pence
  package var dueAt: Timestamp
  /// The instant after which nothing is waited for: due_at and the race's review hold.
  package var holdUntil: Timestamp
  package var entries: [EntryInput]
  package var held: [HeldActivity]
  /// The open claims of athletes with an entry, whether or not they still hold.
  package var claims: [HeldClaim]
  /// The entrants whom the provider's limit of reads keeps from being listed.
  package var unlisted: [UnlistedEntrant]
  /// The business clock, read once after the locks.
  package var now: Timestamp

  package init(
    raceId: Int64, type: RaceType, shares: PrizeShares, percent: Percent, entryFee: Pence, dueAt: Timestamp,
    holdUntil: Timestamp, entries: [EntryInput], held: [HeldActivity], claims: [HeldClaim] = [],
    unlisted: [UnlistedEntrant] = [], now: Timestamp
  ) {
    self.raceId = raceId
    self.type = type
    self.shares = shares
    self.percent = percent
    self.entryFee = entryFee
    self.dueAt = dueAt
    self.holdUntil = holdUntil
    self.entries = entries
    self.held = held
    self.claims = claims
    self.unlisted = unlisted
    self.now = now
  }
}

/// An entry that is neither disqualified nor refunded, as the settlement reads it.
package struct EntryInput: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64
  package let enteredAt: Timestamp
  /// The fee that this entry was charged, in pence.
  package let fee: Pence
  /// The best of the activities that count regardless of the reviews; nil if there is none.
  package let minScore: BestScore?
  /// The best when the held activities count too; nil where there is none, never worse than `minScore`.
  package let maxScore: BestScore?

  package init(
    id: Int64, athleteId: Int64, enteredAt: Timestamp, fee: Pence, minScore: BestScore?,
    maxScore: BestScore?
  ) {
    self.id = id
    self.athleteId = athleteId
    self.enteredAt = enteredAt
    self.fee = fee
    self.minScore = minScore
    self.maxScore = maxScore
  }
}

/// The best score of an athlete in a race, and the activity that names it.
package struct BestScore: Hashable, Sendable {
  /// In the unit of the race's type, see `RaceType`.
  package let score: Int64
  package let activityId: Int64

  package init(score: Int64, activityId: Int64) {
    self.score = score
    self.activityId = activityId
  }
}

/// A held activity that would count in the race with a score better than its athlete's `minScore`.
package struct HeldActivity: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64

  package init(id: Int64, athleteId: Int64) {
    self.id = id
    self.athleteId = athleteId
  }
}

/// A claim that the provider has not confirmed yet, by whose claimed start it would count in the race.
package struct HeldClaim: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64
  /// The end of its hold; a race that would otherwise be void waits longer.
  package let until: Timestamp

  package init(id: Int64, athleteId: Int64, until: Timestamp) {
    self.id = id
    self.athleteId = athleteId
    self.until = until
  }
}

/// An entrant of whom something is still to be read for the results.
package struct UnlistedEntrant: Hashable, Sendable {
  package let athleteId: Int64
  /// The end of the hold; a race that would otherwise be void waits longer.
  package let until: Timestamp

  package init(athleteId: Int64, until: Timestamp) {
    self.athleteId = athleteId
    self.until = until
  }
}
