package import ControlAPI
package import Postgres

/// A command with what it does: one row of the table that the control server serves.
///
/// A module hands the daemon its commands; the server knows no domain. GET commands change nothing; a POST command's
/// effect, its audit row and the kept answer commit together (`CommandDispatcher`).
package struct Command: Sendable {
  package enum Effect: Sendable {
    /// GET: reads, in a read-only transaction.
    case read(@Sendable (CommandCall, Transaction) async throws -> JSON)
    /// GET: runs what would change rows, and rolls back.
    case preview(@Sendable (CommandCall, Transaction) async throws -> JSON)
    /// POST: changes rows; before, after and answer are what the audit keeps and the caller gets.
    case change(@Sendable (CommandCall, Transaction) async throws -> CommandChange)
    /// GET or POST that concerns this process, not the database: works while the database is away.
    case local(@Sendable (CommandCall) async throws -> CommandChange)
  }

  package let description: CommandDescription
  package let effect: Effect
  /// A read that may be large: one of these at a time, see `HeavyReads`.
  package let isHeavy: Bool

  package init(_ description: CommandDescription, _ effect: Effect, isHeavy: Bool = false) {
    self.description = description
    self.effect = effect
    self.isHeavy = isHeavy
  }

  package var name: String { description.name }
}
