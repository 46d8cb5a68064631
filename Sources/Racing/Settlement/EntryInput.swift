package import Money
package import Postgres

/// An entry that is neither disqualified nor refunded, as the settlement reads it.
package struct EntryInput: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64
  package let enteredAt: Timestamp
  /// What this entry was charged, in pence.
  package let fee: Pence
  /// The best of the activities that count whatever the reviews decide; nil where there is none.
  package let lo: Best?
  /// The best when the held activities count too; nil where there is none, never worse than `lo`.
  package let hi: Best?

  package init(id: Int64, athleteId: Int64, enteredAt: Timestamp, fee: Pence, lo: Best?, hi: Best?) {
    self.id = id
    self.athleteId = athleteId
    self.enteredAt = enteredAt
    self.fee = fee
    self.lo = lo
    self.hi = hi
  }
}
