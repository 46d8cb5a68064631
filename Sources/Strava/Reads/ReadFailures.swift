import Engine
import Postgres
import Synchronization

/// How reads do on this node: after five failures in a row one call at a time tries whether the provider is back.
///
/// Apart from the breaker of tokens, because reads go to another host: their trouble holds up no token. Races are
/// settled in time without it, so that nothing of it is kept.
final class ReadFailures: Sendable {
  private static let failuresMax = 5

  private let failures = Mutex(0)

  func noteAnswer() { failures.withLock { $0 = 0 } }

  /// Takes note of a failed read, and of what the provider said with it.
  func note(_ error: any Error, of input: ReadJob.Input, in transaction: Transaction) async throws {
    let failure = Breaker.failure(error)
    if failure.isOfPeer { failures.withLock { $0 += 1 } }
    try await transaction.execute(
      ReadRows.failed(input.request, failure.kind, isOfPeer: concernsPeer(error) || failure.kind == .interrupted))
    var usage = failure.readUsage
    if failure.kind == .limit, usage.isEmpty {
      // The provider's count is higher than ours: these 15 minutes are over for us.
      let allowed = try await ProviderLimits.reads.readUsage(in: transaction)[0].limit ?? 0
      usage = [CallBudget.WindowUsage(ProviderLimits.quarter, used: allowed, limit: nil)]
    }
    Self.note(failure.usage, ofReads: usage, ofCallAt: input.at, in: transaction)
  }

  /// In the order in which a call is taken from both budgets.
  static func note(
    _ usage: [CallBudget.WindowUsage], ofReads: [CallBudget.WindowUsage], ofCallAt instant: Timestamp,
    in transaction: Transaction
  ) {
    if !ofReads.isEmpty { transaction.beforeCommit(ProviderLimits.reads.note(ofReads, ofCallAt: instant)) }
    if !usage.isEmpty { transaction.beforeCommit(ProviderLimits.tokens.note(usage, ofCallAt: instant)) }
  }

  /// Whether the failure is not the athlete's: then all reads wait.
  func concernsPeer(_ error: any Error) -> Bool {
    let failure = Breaker.failure(error)
    return failure.kind == .limit || failure.isOfPeer && failures.withLock { $0 >= Self.failuresMax }
  }

  /// An item is never given up before its time is over.
  static let retries: RetryPolicy = {
    var retries = RetryPolicy()
    retries.backoff = Backoff(first: .seconds(5), factor: 3, longest: .seconds(900))
    retries.attemptsMax = 1_000_000
    return retries
  }()
}
