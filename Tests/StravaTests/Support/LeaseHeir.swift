@testable import Engine
import Postgres
import TestSupport

@testable import Strava

/// A node that has waited out the leases of runs whose processes are dead: it takes them away as every node does.
///
/// How long a node waits is tested with the engine. Leases of living runs are never touched.
struct LeaseHeir: Sendable {
  private let database: SettledDatabase
  private let context: JobContext
  private let job: TokenRefreshJob

  init(_ database: SettledDatabase) {
    self.database = database
    let options = ProviderOptions(
      oauthBase: "", apiBase: "", clientID: "", clientSecret: "", proxy: nil, key: "", oldKeys: [],
      stateDirectory: "/nonexistent")
    let context = database.context()
    let sealer = Sealer(options)
    let spool = Spool(in: options.stateDirectory, sealer, time: context.time, observe: context.observe)
    self.context = context
    let provider = HTTPProvider(options, time: context.time)
    job = TokenRefreshJob(provider: provider, sealer: sealer, spool: spool, breaker: Breaker())
  }

  /// Returns how many leases of these processes there were.
  @discardableResult
  func takeAway(of dead: [SettledProcess]) async throws -> Int {
    precondition(dead.allSatisfy { !$0.isRunning }, "only what a dead run has left is taken away")
    let owners = dead.map { " \($0.pid)" }
    return try await context.pool.transaction { [context, job] transaction in
      let lost = try await transaction.query(LeaseStatements.standing(job: job.name)).decode(Int64.self, String.self)
        .filter { lease in owners.contains { lease.1.hasSuffix($0) } }
      guard !lost.isEmpty else { return 0 }
      return try await LeaseTransactions(job: job, context: context)
        .takeAway(lost.map(\.0), giveBack: [], transaction).count
    }
  }
}
