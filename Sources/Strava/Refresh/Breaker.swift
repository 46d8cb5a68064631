import Engine
import Postgres
import Synchronization

/// How the provider does, for all nodes: after five failures in a row one call at a time tries whether it is back.
///
/// The count is in the database; a node knows it by its own calls. Operators see the open breaker as a problem.
final class Breaker: Sendable {
  static let problem = "token-refresh provider"

  private let isOpen = Mutex(false)

  /// Any error of a call.
  static func failure(_ error: any Error) -> ProviderFailure {
    if let failure = error as? ProviderFailure { return failure }
    // The runner's own time is over, or the daemon ends.
    return ProviderFailure(error is CancellationError ? .interrupted : .lost)
  }

  /// Whether the failure is not the athlete's: then all calls wait, not this athlete's alone.
  func concernsPeer(_ failure: ProviderFailure) -> Bool {
    switch failure.kind {
    case .client, .limit: true
    default: failure.isOfPeer && isOpen.withLock { $0 }
    }
  }

  func note(
    _ failure: ProviderFailure, of input: TokenRefreshJob.Input, in transaction: Transaction
  ) async throws {
    let opened = try await transaction.query(TokenRows.failed(input, failure)).one(Bool.self)
    isOpen.withLock { $0 = opened }
    guard opened, failure.isOfPeer else { return }
    let text =
      failure.kind == .client
      ? "\(failure), and restart; tokens are not refreshed"
      : "calls keep failing: \(failure); retrying with one call at a time"
    transaction.beforeCommit(ProblemStatements.state(Self.problem, text))
  }

  func noteAnswer(in transaction: Transaction) async throws {
    let former = try await transaction.query(TokenRows.answered).one(String?.self)
    isOpen.withLock { $0 = false }
    if former != nil { transaction.beforeCommit(ProblemStatements.solve(Self.problem)) }
  }
}
