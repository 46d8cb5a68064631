package import Money
import Postgres

/// The decision of a correction: what a settled race looks like after disqualifications and late approvals.
///
/// Pure. The rest of the entries is settled anew by the very function that settled the race; each athlete's net amount is
/// what that differs by. A correction waits for nothing. Source: Racing.docc/Corrections.md.
package enum Correction {
  /// The next revision; nil where no entry, rank or payout would change.
  ///
  /// Nobody ranked left: void, every remaining fee goes back. Throws as `Settlement.settle` does.
  package static func revise(_ input: CorrectionInput) throws(MoneyError) -> Revision? {
    let result = try Settlement.settle(input.settlement)
    let isSame = result.ranking.allSatisfy { Standing($0) == input.standings[$0.entryId] }
    guard !(isSame && input.out.isEmpty && result.outcome == .paid) else { return nil }

    let refunds = Dictionary(uniqueKeysWithValues: result.refunds.map { ($0.entryId, $0.amount) })
    var nets: [Revision.Net] = []
    for entry in result.ranking {
      let before = input.standings[entry.entryId]?.prize ?? .zero
      let change = try entry.prize - before
      nets.append(
        .init(
          entryId: entry.entryId, athleteId: entry.athleteId, amount: try change + (refunds[entry.entryId] ?? .zero)))
    }
    for entry in input.out {
      let before = input.standings[entry.id]?.prize ?? .zero
      nets.append(.init(entryId: entry.id, athleteId: entry.athleteId, amount: try entry.fee - before))
    }
    return Revision(
      number: input.revision + 1, result: result, out: input.out.map(\.id).sorted(),
      nets: nets.filter { $0.amount != .zero }.sorted { $0.entryId < $1.entryId },
      platformChange: try result.platformFee - input.platformFee)
  }
}
