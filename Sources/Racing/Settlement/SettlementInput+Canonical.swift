import Money
import Postgres

extension SettlementInput {
  /// The inputs as a text that is equal for equal inputs, in whatever order they were read.
  ///
  /// A hash of it (the database's `sha256`) is what a dry run shows and what an expected hash is compared with. `now` is
  /// left out. One line for the race, one for each entry by id, one for each held activity by id; instants are
  /// microseconds since 1970, amounts pence, a missing score is `-`. The first word names the format: change it with
  /// the format.
  package var canonicalInput: String {
    let race =
      "settlement-1 \(raceId) \(type.rawValue) \(shares) \(percent) \(entryFee.amount)"
      + " \(dueAt.microseconds) \(holdUntil.microseconds)"
    let entryLines = entries.sorted { $0.id < $1.id }.map(Self.line)
    let heldLines = held.sorted { ($0.id, $0.athleteId) < ($1.id, $1.athleteId) }
      .map { "held \($0.id) \($0.athleteId)" }
    return ([race] + entryLines + heldLines).map { $0 + "\n" }.joined()
  }

  private static func line(_ entry: EntryInput) -> String {
    "entry \(entry.id) \(entry.athleteId) \(entry.enteredAt.microseconds) \(entry.fee.amount)"
      + " \(text(entry.lo)) \(text(entry.hi))"
  }

  private static func text(_ best: Best?) -> String {
    best.map { "\($0.score):\($0.activityId)" } ?? "-"
  }
}
