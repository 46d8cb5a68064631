import Engine
import Postgres
import Scheduling

/// Rejects claims that are no longer requested from the provider, and deletes old rejected ones, every night.
///
/// A claim holds no race after its `until_at`, so that no race is locked. Source: Racing.docc/Claims.md, "How a claim
/// ends".
enum ClaimPruning {
  static let name = "claim-pruning"

  private static let batch: Int64 = 1000

  /// Returns how many claims it rejected or deleted.
  static func schedule(in context: JobContext) -> BuiltInSchedule {
    BuiltInSchedule(name, cron: "10 4 * * *", timeout: BatchedRun.timeout) { _, now, _ in
      try await BatchedRun.run(in: context) { try await $0.query(prune(max: batch, at: now)).one(Int64.self) }
    }
  }

  /// One number: how many claims it touched.
  static func prune(max: Int64, at now: Timestamp) -> Statement { "SELECT racing.prune_claims(\(max), \(now))" }
}
