package import Postgres

/// Something that may be asked of the daemon: one row of the table that the control server serves.
///
/// A module hands the daemon its commands; the server knows no domain. GET commands change nothing; a POST command's
/// effect, its audit row and the kept answer commit together (`CommandDispatcher`).
package struct Command: Sendable {
  /// Where a parameter stands: in the path as `{name}`, in the query of a GET, in the JSON body of a POST.
  package struct Parameter: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case text, integer, boolean
    }

    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    package let meaning: String

    package init(_ name: String, _ kind: Kind, required: Bool = false, _ meaning: String) {
      self.name = name
      self.kind = kind
      isRequired = required
      self.meaning = meaning
    }
  }

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

  /// Words with dots: `job.pause`. The audit and /openapi.json show it.
  package let name: String
  /// `/v1/jobs/{name}/pause`.
  package let path: String
  package let isPost: Bool
  package let level: CommandLevel
  package let summary: String
  package let parameters: [Parameter]
  package let effect: Effect
  /// A read that may be large: one of these at a time, see `HeavyReads`.
  package let isHeavy: Bool

  package init(
    _ name: String, _ path: String, post: Bool = false, level: CommandLevel, summary: String,
    parameters: [Parameter] = [], effect: Effect, isHeavy: Bool = false
  ) {
    self.name = name
    self.path = path
    isPost = post
    self.level = level
    self.summary = summary
    self.parameters = parameters
    self.effect = effect
    self.isHeavy = isHeavy
  }
}
