package import Postgres

/// The second kind of timed work: each item needs a call abroad, which no transaction can hold.
///
/// An item goes through three steps. A short transaction claims it with a lease. The call is made outside of any
/// transaction. A second transaction writes the reply and gives the lease back. A lease that its node does
/// not give back is taken over by a node that has seen it unchanged for its whole length on its own boot
/// clock. Source: Engine.docc/LeasedJobs.md.
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

  /// How failing items are tried again.
  var retries: RetryPolicy { get }

  /// Whether the job goes on while a clock is wrong: nothing but a pause or a drain stops it then.
  var ignoresClockStop: Bool { get }

  /// Whether what it does must not be done again unseen, where the database was
  /// restored: then it waits for an operator.
  var stopsAfterRestore: Bool { get }

  /// Reads what the calls need: one input for each item, in the order of the keys.
  ///
  /// An item that turns out not to be due any more is left out. An error of one item fails that item, once
  /// the items have been tried one by one.
  func prepare(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input]

  func key(of input: Input) -> Key

  /// Calls abroad. An error's description must be safe to show. Ended by cancellation when its time is over; one that
  /// goes on all the same keeps its lease, so that no second call is made beside it before the lease is lost.
  ///
  /// - Parameter lease: the generation of the lease, which no other lease ever has.
  func call(_ input: Input, under lease: Int64) async throws -> Reply

  /// Takes note that a call which brought a reply is over: `isWritten` where the reply was written, or was known
  /// already. Where the database refused it, or was closed before, the job may have kept the reply elsewhere.
  func ended(_ input: Input, under lease: Int64, isWritten: Bool) async

  /// Whether an input may use the reserve of the budget.
  func usesReserve(_ input: Input) -> Bool

  /// Whether an error says nothing of the item because the peer refuses or fails everybody: then no attempt is counted,
  /// the job pauses, longer each time, and one call at a time tries again. The item itself comes after all others.
  func concernsPeer(_ error: any Error) -> Bool

  /// Writes a reply, under the lease. The item may have changed meanwhile: its row is to be locked and read again.
  func apply(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws

  /// Writes a reply that came after the lease was lost: another node may have made the same call, and this very
  /// reply may have been written already.
  func applyLate(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws

  /// Takes note, in the transaction that records it, that a call failed; `CancellationError` where the daemon ended it.
  func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws

  /// Takes note, in the transaction that takes their leases away, that nobody knows what became of these items' calls.
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
    precondition(callsMax > 0 && call > .zero && lease >= call * 2 + .seconds(1), "a lease outlasts its call")
    self.callsMax = callsMax
    self.call = call
    self.lease = lease
  }
}
