package import Postgres

/// A kind of record whose newest value is remembered outside the database: it shows whether the database has lost data.
package struct HistoryMark: Sendable {
  /// The name in the answer of `settlectl restore accept`, such as `ledgerHead`; the mark of events is not in it.
  package let name: String
  /// The beginning of a finding: "the ledger's chain does not hold".
  package let isMissing: String
  /// Reads the newest, a text without spaces; empty if there is none.
  package let newest: Statement
  /// Asks whether the database has the newest value.
  package let holds: @Sendable (String) -> Statement
  /// Makes numbers continue after those that were lost; nil if the mark has none.
  package let resume: (@Sendable (String) -> Statement)?

  package init(
    name: String, isMissing: String, newest: Statement, holds: @escaping @Sendable (String) -> Statement,
    resume: (@Sendable (String) -> Statement)? = nil
  ) {
    self.name = name
    self.isMissing = isMissing
    self.newest = newest
    self.holds = holds
    self.resume = resume
  }

  /// The last position of events.
  static let event = HistoryMark(
    name: "event", isMissing: "it has lost the event at position",
    newest: "SELECT c.last_position::text FROM settled.event_counter AS c",
    holds: { "SELECT settled.has_position(\(Int64($0) ?? 0))" },
    resume: { "SELECT settled.raise_epoch(\(Int64($0) ?? 0))" })
}
