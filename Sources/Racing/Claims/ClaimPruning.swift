import Engine
import Postgres
import Scheduling

/// Ends claims that nobody asks the provider for any more, and deletes rejected ones, every night.
///
/// A claim holds no race behind its `until_at`, so that no race is locked. Source: Racing.docc/Claims.md, "What becomes
/// of a claim".
enum ClaimPruning {
  static let name = "claim-pruning"

  private static let batch: Int64 = 1000
  /// The rest waits for the next night.
  private static let batchesMax = 4000
  private static let timeout: Duration = .seconds(600)

  /// Returns how many claims it rejected or deleted.
  static func schedule(in context: JobContext) -> BuiltInSchedule {
    BuiltInSchedule(name, cron: "10 4 * * *", timeout: timeout) { _, now, _ in
      try await context.pool.withDedicatedConnection(timeout: timeout) { connection in
        var touched: Int64 = 0
        for _ in 0..<batchesMax {
          let count = try await connection.query(prune(max: batch, at: now)).one(Int64.self)
          touched += count
          if count == 0 { break }
        }
        return touched
      }
    }
  }

  /// One number: how many claims it touched.
  static func prune(max: Int64, at now: Timestamp) -> Statement { "SELECT racing.prune_claims(\(max), \(now))" }
}
