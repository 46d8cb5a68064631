import Engine
import Postgres

/// The newest journal and posting that this node has seen.
///
/// A database without them has lost money's history. Numbers continue behind them, because a withdrawal is completed by
/// the number of its posting.
enum KeptJournal {
  /// As `journal:posting`.
  static let mark = HistoryMark(
    name: "journal", isMissing: "it has lost the newest journal and posting", newest: KeptJournalStatements.newest,
    holds: { KeptJournalStatements.holds(Numbers($0)) }, resume: { KeptJournalStatements.resume(Numbers($0)) })

  struct Numbers {
    let journal: Int64
    let posting: Int64

    init(_ text: String) {
      let sides = text.split(separator: ":").map { Int64($0) ?? 0 }
      journal = sides.first ?? 0
      posting = sides.count > 1 ? sides[1] : 0
    }
  }
}

enum KeptJournalStatements {
  static let newest: Statement = """
    SELECT coalesce((SELECT max(j.id) FROM racing.journal AS j), 0) || ':'
      || coalesce((SELECT max(p.id) FROM racing.posting AS p), 0)
    """

  static func holds(_ numbers: KeptJournal.Numbers) -> Statement {
    """
    SELECT (\(numbers.journal) = 0 OR EXISTS (SELECT FROM racing.journal AS j WHERE j.id = \(numbers.journal)))
      AND (\(numbers.posting) = 0 OR EXISTS (SELECT FROM racing.posting AS p WHERE p.id = \(numbers.posting)))
    """
  }

  static func resume(_ numbers: KeptJournal.Numbers) -> Statement {
    "SELECT racing.skip_numbers(\(numbers.journal), \(numbers.posting))"
  }
}
