package import Postgres

/// One kind of timed work: its due items, and the three steps that settle a batch of them in one transaction.
///
/// The row is the job: `source` locates it in the module's own tables. The engine calls, in this order and in one READ
/// COMMITTED transaction: the claim, `gather` (a statement of its own, so that its snapshot is younger than the locks),
/// `decide` for each item, `apply` for all. A dry run is the same without the commit.
package protocol Job: Sendable {
  associatedtype Key: JobKey
  associatedtype Input: Sendable
  associatedtype Decision: Sendable

  /// The name that operators see: words in kebab-case.
  var name: String { get }

  /// The most items of one batch; batches grow up to it while they stay quick.
  var largestBatch: Int { get }

  /// Whether no user waits for it: between its batches it yields to the node's other jobs.
  var isBackground: Bool { get }

  /// Whether its batches may run in several lanes at once: `JobContext.lanes`.
  var usesLanes: Bool { get }

  /// Whether the job continues while a clock is wrong: then only a pause or a drain stops it.
  var ignoresClockStop: Bool { get }

  /// Whether its effects must not be repeated unseen after a restore of the database: then it waits for an operator.
  var stopsAfterRestore: Bool { get }

  /// SQL of two numbers, the items done and all items; read whenever an operator lists the jobs. Nil if there is no
  /// such count.
  var progress: String? { get }

  /// Where the items are, and when each is due. Polls and claims leave out items that a failure delays.
  var source: DueSource { get }

  /// Reads the inputs of the locked items; an item that is no longer due is left out.
  func gather(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input]

  /// The key of an input, under which a failing decision is recorded.
  func key(of input: Input) -> Key

  /// Decides one item: pure. An error is recorded as this item's failure.
  func decide(_ input: Input, at now: Timestamp) throws -> Decision

  /// Returns the items that cannot be written because other transactions have locked rows that they need. Locks the
  /// rows that the others need, without waiting. Called after a batch waited unsuccessfully.
  func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key>

  /// Writes the decisions, set by set.
  func apply(_ decisions: [Decision], at now: Timestamp, in transaction: Transaction) async throws

  /// Runs the statements of a batch with empty parameters, so that their session plans them: see `JobRunner.prewarm`.
  func rehearse(at now: Timestamp, in transaction: Transaction) async throws

  /// The warnings for operators about a decision, once it is committed.
  func warnings(of decision: Decision) -> [String]
}

extension Job {
  package func lock(_ request: LockRequest<Key>) -> Statement { source.lock(request, job: name) }

  package var isBackground: Bool { false }

  package var usesLanes: Bool { false }

  package var ignoresClockStop: Bool { false }

  package var stopsAfterRestore: Bool { false }

  package var progress: String? { nil }

  package func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key> { [] }

  package func rehearse(at now: Timestamp, in transaction: Transaction) async throws {}

  package func warnings(of decision: Decision) -> [String] { [] }
}
