package import Money
import Postgres

/// What an entry shows after a revision.
package struct Standing: Hashable, Sendable {
  package let rank: Int?
  package let score: Int64?
  package let activityId: Int64?
  package let prize: Pence

  package init(rank: Int?, score: Int64?, activityId: Int64?, prize: Pence) {
    self.rank = rank
    self.score = score
    self.activityId = activityId
    self.prize = prize
  }

  package init(_ entry: RankedEntry) {
    self.init(rank: entry.rank, score: entry.score, activityId: entry.activityId, prize: entry.prize)
  }
}

/// Everything a correction depends on, read under the race's lock.
package struct CorrectionInput: Hashable, Sendable {
  /// The race with the entries that remain; `lo` and `hi` are the best of the activities that count now.
  package var settlement: SettlementInput
  /// Entries of the latest revision that a disqualification takes out.
  package var out: [EntryInput]
  /// What the latest revision gave to each entry, remaining or not.
  package var standings: [Int64: Standing]
  /// The latest revision.
  package var revision: Int
  /// What the platform kept by it.
  package var platformFee: Pence

  package init(
    settlement: SettlementInput, out: [EntryInput], standings: [Int64: Standing], revision: Int, platformFee: Pence
  ) {
    self.settlement = settlement
    self.out = out
    self.standings = standings
    self.revision = revision
    self.platformFee = platformFee
  }

  /// The inputs as a text that is equal for equal inputs, in whatever order they were read.
  package var canonicalInput: String {
    let lines = out.sorted { $0.id < $1.id }.map { "out \($0.id) \($0.athleteId) \($0.fee.amount)\n" }
    return "correction-1 \(revision) \(platformFee.amount)\n" + settlement.canonicalInput + lines.joined()
  }
}

/// A revision after the first: the new result, and what it books against the one before.
package struct Revision: Hashable, Sendable {
  /// One amount for each athlete whose money changes, a fee that goes back included.
  package struct Net: Hashable, Sendable {
    package let entryId: Int64
    package let athleteId: Int64
    package let amount: Pence
  }

  package let number: Int
  /// Of the entries that remain.
  package let result: SettlementResult
  /// Entries that become disqualified.
  package let out: [Int64]
  /// By entry; together with the platform's change they sum to zero.
  package let nets: [Net]
  package let platformChange: Pence
}
