package import Postgres

/// The second kind of timed work: each item needs an external call, which must not run inside a transaction.
///
/// An item goes through three steps. A short transaction claims it with a lease. The call is made outside of any
/// transaction. A second transaction writes the reply and returns the lease. A lease that its node does not return is
/// taken over by a node that has seen it unchanged for its whole length on its own boot clock. Source:
/// Engine.docc/LeasedJobs.md.
package protocol LeasedJob: Sendable {
  associatedtype Key: JobKey
  associatedtype Input: Sendable
  associatedtype Reply: Sendable

  /// The name that operators see: words in kebab-case.
  var name: String { get }

  /// Where the items are, and when each is due. Failing items that wait, and leased ones, are left out.
  var source: DueSource { get }

  var limits: LeaseLimits { get }

  /// The budget from which calls are taken; nil: none.
  var budget: CallBudget? { get }

  /// The budget from which the call for an input is taken; nil: none.
  func budget(of input: Input) -> CallBudget?

  /// How failing items are retried.
  var retries: RetryPolicy { get }

  /// Whether the job continues while a clock is wrong: then only a pause or a drain stops it.
  var ignoresClockStop: Bool { get }

  /// Whether its effects must not be repeated unseen after a restore of the database: then it waits for an operator.
  var stopsAfterRestore: Bool { get }

  /// Reads what the calls need: one input for each item, in the order of the keys.
  ///
  /// An item that is no longer due is left out. An error of one item fails that item, once the items have been tried
  /// one by one.
  func prepare(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input]

  func key(of input: Input) -> Key

  /// Makes the external call. An error's description must be safe to show. The call is cancelled when its time is over;
  /// a call that continues nevertheless keeps its lease, so that no second call runs in parallel before the lease is
  /// lost.
  ///
  /// - Parameter lease: the generation of the lease, which is unique among all leases.
  func call(_ input: Input, under lease: Int64) async throws -> Reply

  /// Notifies the job that a call with a reply is over: `isWritten` if the reply was written, or had been written
  /// before. If the database refused it, or was closed before, the job may have stored the reply elsewhere.
  func ended(_ input: Input, under lease: Int64, isWritten: Bool) async

  /// Whether an input may use the reserve of the budget.
  func usesReserve(_ input: Input) -> Bool

  /// Whether an error is not the item's because the peer refuses or fails every call. Then no attempt is counted, the
  /// job pauses, longer each time, and retries with one call at a time. The item itself comes after all others.
  func concernsPeer(_ error: any Error) -> Bool

  /// Writes a reply, under the lease. The item may have changed meanwhile: lock and read its row again.
  func apply(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws

  /// Writes a reply that came after the lease was lost: another node may have made the same call, and this very
  /// reply may have been written already.
  func applyLate(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws

  /// Notifies the job, in the transaction that records it, that a call failed; `CancellationError` if the daemon ended
  /// it.
  func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws

  /// Notifies the job, in the transaction that revokes their leases, that the outcome of these items' calls is unknown.
  func noteAbandoned(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws
}

extension LeasedJob {
  package var limits: LeaseLimits { LeaseLimits() }

  package var budget: CallBudget? { nil }

  package func budget(of input: Input) -> CallBudget? { budget }

  package var retries: RetryPolicy { RetryPolicy() }

  package var ignoresClockStop: Bool { false }

  package var stopsAfterRestore: Bool { false }

  package func concernsPeer(_ error: any Error) -> Bool { false }

  package func usesReserve(_ input: Input) -> Bool { false }

  package func ended(_ input: Input, under lease: Int64, isWritten: Bool) async {}

  package func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {}

  package func noteAbandoned(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws {}
}

/// How many calls a node makes at once, and how long calls and leases last.
package struct LeaseLimits: Sendable {
  package let callsMax: Int
  /// The time of one call.
  package let call: Duration
  package let lease: Duration

  package init(callsMax: Int = 4, call: Duration = .seconds(10), lease: Duration = .seconds(30)) {
    precondition(callsMax > 0 && call > .zero && lease >= call * 2 + .seconds(1), "a lease must outlast its call")
    self.callsMax = callsMax
    self.call = call
    self.lease = lease
  }
}
