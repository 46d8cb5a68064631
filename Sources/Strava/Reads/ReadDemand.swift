import Engine
import Operations
import Postgres

/// How many reads the results of the next day need, and how many the provider allows in a day.
enum ReadDemand {
  static let problem = "activity-reads budget"

  struct Figures: Sendable {
    let needed: Int64
    let allowed: Int64

    var isTooHigh: Bool { needed > allowed }

    var text: String {
      """
      races ending within a day need about \(needed.counted("read", "reads")), and the provider allows \
      \(allowed) a day
      """
    }
  }

  static func read(in transaction: Transaction) async throws -> Figures {
    let needed = try await transaction.query(
      "SELECT strava.reads_needed(t.now, t.now + interval '1 day') FROM settled.clock() AS t (now)"
    ).one(Int64.self)
    let usage = try await ProviderLimits.reads.readUsage(in: transaction)
    return Figures(needed: needed, allowed: usage.last?.limit ?? 0)
  }
}
