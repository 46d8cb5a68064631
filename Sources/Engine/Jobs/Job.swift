package import Postgres

/// One kind of timed work: what is due, and the three steps that settle a batch of it in one transaction.
///
/// The row is the job: `source` says where it lies in the module's own tables. The engine calls, in this order and in
/// one READ COMMITTED transaction: the claim, `gather` (a statement of its own, so that its snapshot is younger than
/// the locks), `decide` for each item, `apply` for all. A dry run is the same without the commit.
package protocol Job: Sendable {
  associatedtype Key: JobKey
  associatedtype Input: Sendable
  associatedtype Decision: Sendable

  /// The name that operators see: words in kebab-case.
  var name: String { get }

  /// The most items of one batch; batches grow up to it while they stay quick.
  var largestBatch: Int { get }

  /// Whether nobody waits for it: between its batches it steps aside for the node's other jobs.
  var isBackground: Bool { get }

  /// Whether the job goes on while a clock is wrong: nothing but a pause or a drain stops it then.
  var ignoresClockStop: Bool { get }

  /// Whether what it does must not be done again unseen, where the database was
  /// restored: then it waits for an operator.
  var stopsAfterRestore: Bool { get }

  /// SQL of two numbers, how many items are done and how many there are in all; read whenever an operator lists the
  /// jobs. Nil where there is no such count.
  var progress: String? { get }

  /// Where the items are, and when each is due. Those that a failure holds back are left out of polls and claims.
  var source: DueSource { get }

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

  /// Runs the statements of a batch with nothing in them, so that their session plans them: see `JobRunner.prewarm`.
  func rehearse(at now: Timestamp, in transaction: Transaction) async throws

  /// The warnings for operators about a decision, once it is committed.
  func warnings(of decision: Decision) -> [String]
}

extension Job {
  package func lock(_ request: LockRequest<Key>) -> Statement { source.lock(request, job: name) }

  package var isBackground: Bool { false }

  package var ignoresClockStop: Bool { false }

  package var stopsAfterRestore: Bool { false }

  package var progress: String? { nil }

  package func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key> { [] }

  package func rehearse(at now: Timestamp, in transaction: Transaction) async throws {}

  package func warnings(of decision: Decision) -> [String] { [] }
}
