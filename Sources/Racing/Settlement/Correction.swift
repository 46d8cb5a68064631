package import Money
import Postgres

/// The decision of a correction: what a settled race looks like after disqualifications, late approvals and
/// overruled decisions.
///
/// Pure. The remaining entries are settled again by the same function that settled the race; each athlete's net amount
/// is the difference. A correction waits for nothing. Source: Racing.docc/Corrections.md.
package enum Correction {
  /// The next revision; nil where no entry, rank or payout would change.
  ///
  /// Nobody ranked left: void, every remaining fee goes back. Throws as `Settlement.settle` does.
  package static func revise(_ input: CorrectionInput) throws(MoneyError) -> Revision? {
    let result = try Settlement.settle(input.settlement)
    let isSame = result.ranking.allSatisfy { ShownResult($0) == input.standings[$0.entryId] }
    guard !(isSame && input.disqualified.isEmpty && result.outcome == .paid) else { return nil }

    let refunds = Dictionary(uniqueKeysWithValues: result.refunds.map { ($0.entryId, $0.amount) })
    let feesTakenAgain = Dictionary(uniqueKeysWithValues: input.reinstated.map { ($0.id, $0.fee) })
    var netAmounts: [Revision.NetAmount] = []
    for entry in result.ranking {
      let before = input.standings[entry.entryId]?.prize ?? .zero
      let change = try entry.prize - before
      let fee = try (refunds[entry.entryId] ?? .zero) - (feesTakenAgain[entry.entryId] ?? .zero)
      netAmounts.append(.init(entryId: entry.entryId, athleteId: entry.athleteId, amount: try change + fee))
    }
    for entry in input.disqualified {
      let before = input.standings[entry.id]?.prize ?? .zero
      netAmounts.append(.init(entryId: entry.id, athleteId: entry.athleteId, amount: try entry.fee - before))
    }
    return Revision(
      number: input.revision + 1, result: result, disqualified: input.disqualified.map(\.id).sorted(),
      reinstated: input.reinstated.map(\.id).sorted(),
      netAmounts: netAmounts.filter { $0.amount != .zero }.sorted { $0.entryId < $1.entryId },
      platformChange: try result.platformFee - input.platformFee)
  }
}

/// A revision after the first: the new result, and what it books against the one before.
package struct Revision: Hashable, Sendable {
  /// One amount for each athlete whose money changes, a fee that goes back or is taken again included.
  package struct NetAmount: Hashable, Sendable {
    package let entryId: Int64
    package let athleteId: Int64
    package let amount: Pence
  }

  package let number: Int
  /// Of the entries that remain.
  package let result: SettlementResult
  /// Entries that become disqualified.
  package let disqualified: [Int64]
  /// Disqualified entries that come back; they are in the result.
  package let reinstated: [Int64]
  /// By entry; together with the platform's change they sum to zero.
  package let netAmounts: [NetAmount]
  package let platformChange: Pence
}

/// Everything a correction depends on, read under the race's lock.
package struct CorrectionInput: Hashable, Sendable {
  /// The race with the entries that remain or come back; `minScore` and `maxScore` are the best of the activities that
  /// count now.
  package var settlement: SettlementInput
  /// Entries of the latest revision that are disqualified now.
  package var disqualified: [EntryInput]
  /// The entries of `settlement` that were disqualified and come back: their fees went back, and are taken again.
  package var reinstated: [EntryInput]
  /// The amounts that the latest revision gave to each entry, remaining or not.
  package var standings: [Int64: ShownResult]
  /// The latest revision.
  package var revision: Int
  /// The amount that the platform kept by it.
  package var platformFee: Pence

  package init(
    settlement: SettlementInput, disqualified: [EntryInput], reinstated: [EntryInput] = [],
    standings: [Int64: ShownResult], revision: Int, platformFee: Pence
  ) {
    self.settlement = settlement
    self.disqualified = disqualified
    self.reinstated = reinstated
    self.standings = standings
    self.revision = revision
    self.platformFee = platformFee
  }

  var hash: String { InputHash.text(of: canonicalInput) }

  /// The inputs as a text that is equal for equal inputs, regardless of the order in which they were read.
  package var canonicalInput: String {
    func lines(_ word: String, _ entries: [EntryInput]) -> String {
      entries.sorted { $0.id < $1.id }.map { "\(word) \($0.id) \($0.athleteId) \($0.fee.amount)\n" }.joined()
    }
    return "correction-1 \(revision) \(platformFee.amount)\n" + settlement.canonicalInput
      + lines("out", disqualified) + lines("back", reinstated)
  }
}

/// The values that an entry shows after a revision.
package struct ShownResult: Hashable, Sendable {
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
