package import Postgres

/// The data that a module erases for a person of one kind.
package struct Erasure: Sendable {
  package enum Key: Sendable {
    /// The module's own number.
    case number(@Sendable (Int64) -> Statement)
    /// The app's text.
    case text(@Sendable (String) -> Statement)
  }

  /// `athlete`, `runner`, `user`, `reader`, `checkin`, `account`.
  package let kind: String
  /// A statement of one value: {erased: {what: count}, kept: [...]}.
  package let statement: Key

  package init(_ kind: String, _ statement: Key) {
    self.kind = kind
    self.statement = statement
  }
}
