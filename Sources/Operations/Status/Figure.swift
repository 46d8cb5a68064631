package import Postgres

/// A number from the database for metrics, or one number for each of a few names.
package struct Figure: Sendable {
  /// The metric: `settled_ledger_differences`.
  package let name: String
  package let help: String
  /// The label of the names; nil if there is one number.
  package let label: String?
  /// Returns rows of a name and a `double precision`; the name of the only row is not read if there is no label.
  package let statement: Statement

  /// The most names of one figure: more are left out, so that they cannot flood a monitoring system.
  package static let namesMax = 200

  package init(_ name: String, _ help: String, label: String? = nil, _ statement: Statement) {
    self.name = name
    self.help = help
    self.label = label
    self.statement = statement
  }
}
