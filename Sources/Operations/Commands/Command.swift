package import ControlAPI
package import Postgres

/// A command with its implementation: one row of the table that the control server serves.
///
/// A module passes its commands to the daemon; the server depends on no domain. GET commands change nothing; a POST
/// command's effect, its audit row and the kept answer commit together (`CommandDispatcher`).
package struct Command: Sendable {
  package enum Effect: Sendable {
    /// GET: reads, in a read-only transaction.
    case read(@Sendable (CommandCall, Transaction) async throws -> JSON)
    /// GET: runs statements that would change rows, and rolls back.
    case preview(@Sendable (CommandCall, Transaction) async throws -> JSON)
    /// POST: changes rows; the audit stores before and after; the caller gets the answer.
    case change(@Sendable (CommandCall, Transaction) async throws -> CommandChange)
    /// POST: a change that leaves an order for a job; then `outcome` turns its answer into the job's, also for a
    /// repeated request.
    case order(
      @Sendable (CommandCall, Transaction) async throws -> CommandChange,
      outcome: @Sendable (_ ordered: JSON, Pool) async throws -> JSON)
    /// GET or POST that concerns this process, not the database: works while the database is unreachable.
    case local(@Sendable (CommandCall) async throws -> CommandChange)
  }

  package let description: CommandDescription
  package let effect: Effect

  package init(_ description: CommandDescription, _ effect: Effect) {
    self.description = description
    self.effect = effect
  }

  /// Whether the read may be large: these run one at a time, see `HeavyReads`.
  func isHeavy(_ call: CommandCall) -> Bool { description.isHeavy(call.flag) }

  package var name: String { description.name }
}
