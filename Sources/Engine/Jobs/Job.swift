package import Postgres

/// One kind of timed work: what is due, and the three steps that settle a batch of it in one transaction.
///
/// The row is the job: `nextDue` and `lock` read the domain's own tables. The engine calls, in this order and in one
/// READ COMMITTED transaction: `lock` (claims rows), `gather` (a statement of its own, so that its snapshot is younger
/// than the locks), `decide` for each item, `apply` for all. A dry run is the same without the commit.
package protocol Job: Sendable {
  associatedtype Key: JobKey
  associatedtype Input: Sendable
  associatedtype Decision: Sendable

  /// The name that operators see: words in kebab-case.
  var name: String { get }

  /// The most items of one batch; batches grow up to it while they stay quick.
  var largestBatch: Int { get }

  /// A statement without binds that yields the earliest business instant at which an item is due, or null.
  ///
  /// Items held back by a failure are left out: see `HeldBack`.
  var nextDue: String { get }

  /// The same with items that others must make ready first: see `Work.planned`.
  var planned: String { get }

  /// SQL of two columns, instant and key, of every item that is or will be due.
  var schedule: String { get }

  /// Selects that make up the schedule together, each with an index in the order of its instants.
  var scheduleParts: [String] { get }

  /// The first `count` rows of the schedule, soonest first: each of its parts is read along its index, no further.
  func soonest(_ count: Int) -> Statement

  /// Claims due items: one column of keys, the longest due first.
  func lock(_ request: LockRequest<Key>) -> Statement

  /// Reads the inputs of the locked items; an item that turns out not to be due any more is left out.
  func gather(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input]

  /// The key of an input, by which a failing decision is recorded.
  func key(of input: Input) -> Key

  /// Decides one item: pure. An error is recorded as this item's failure.
  func decide(_ input: Input, at now: Timestamp) throws -> Decision

  /// Of these items, those that cannot be written because other transactions hold rows that they need; locks what the
  /// others need, without waiting. Asked after a batch waited in vain.
  func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key>

  /// Writes the decisions, set by set.
  func apply(_ decisions: [Decision], at now: Timestamp, in transaction: Transaction) async throws

  /// What operators must be told about a decision once it is committed, one text for each warning.
  func warnings(of decision: Decision) -> [String]
}

extension Job {
  package var planned: String { nextDue }

  package var scheduleParts: [String] { [schedule] }

  package func soonest(_ count: Int) -> Statement {
    // The planner follows an index where a part alone is ordered and limited, not where their union is.
    let parts = scheduleParts.map {
      "(SELECT p.at, p.key FROM (\($0)) AS p(at, key) ORDER BY p.at LIMIT \(count))"
    }
    return """
      SELECT s.at, s.key FROM (\(raw: parts.joined(separator: "\n  UNION ALL "))) AS s ORDER BY s.at LIMIT \(count)
      """
  }

  package func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key> { [] }

  package func warnings(of decision: Decision) -> [String] { [] }
}

/// What names an item of a job, in the database and in `settled.failure`.
package protocol JobKey: Hashable, Sendable, LosslessStringConvertible, PostgresEncodable, PostgresArrayElement,
  PostgresDecodable
{
  /// SQL: the type of the key in a job's schedule.
  static var sqlType: String { get }
}

extension Int64: JobKey {
  package static var sqlType: String { "bigint" }
}

extension String: JobKey {
  package static var sqlType: String { "text" }
}
