import Foundation

/// The page of what one primary carries, computed from the recorded figures.
package enum CapacityPage {
  package static let path = "Sources/Engine/Engine.docc/Capacity.md"

  /// A figure that comes to a rate.
  private struct Rate: Sendable {
    let work: String
    let benchmark: Benchmark
    let figure: String
    /// The rate in a second.
    let rate: @Sendable (Double) -> Double
  }

  private static let rates = [
    Rate(work: "races with 100 entries settled", benchmark: .settle, figure: "1000x100 last commit") { 1e6 / $0 },
    Rate(work: "race entries settled", benchmark: .settle, figure: "1000x100 last commit") { 1e8 / $0 },
    Rate(work: "runs of SQL schedules", benchmark: .schedules, figure: schedule) { 1000 / $0 },
    Rate(work: "race entries through the gateway", benchmark: .gateway, figure: "entry: requests a second") { $0 },
    Rate(work: "check-ins through the gateway", benchmark: .gateway, figure: "check-in: requests a second") { $0 },
    Rate(work: "leaderboards through the gateway", benchmark: .gateway, figure: "leaderboard: requests a second") {
      $0
    },
    Rate(work: "deposits to 10,000 wallets", benchmark: .ledger, figure: "10000 wallets: deposits") { $0 },
    Rate(
      work: "calls that earn points, for 16 teams", benchmark: .points, figure: "a team for each caller: calls a second"
    ) { $0 },
    Rate(work: "flags", benchmark: .flags, figure: "flags a second") { $0 },
    Rate(work: "token refreshes", benchmark: .tokens, figure: "refreshes a second") { $0 },
    Rate(work: "reads from the provider", benchmark: .reads, figure: "1,000 reads") { 1000 / $0 },
  ]
  private static let schedule = "5000 schedules, 20 partitions: time for each of 200 runs"

  package static func text(_ records: [Benchmark: FigureRecord]) -> String {
    let rows = rates.compactMap { rate -> String? in
      guard let record = records[rate.benchmark],
        let figure = record.figures.first(where: { $0.name == rate.figure })
      else { return nil }
      let second = rate.rate(figure.median)
      return
        "| \(rate.work) | \(second.shown) | \(String(format: "%.1f", second * 8640 / 1e6)) million | `deploy/bench \(rate.benchmark.rawValue)` |"
    }
    let growths = Benchmark.allCases.flatMap { benchmark in
      (records[benchmark]?.growths ?? []).compactMap { growth -> String? in
        guard let fit = growth.fit, let first = growth.points.first, let last = growth.points.last else { return nil }
        let ends = [first, last].map { "\($0.shown) \(growth.noun): \($0.median.shown) \(growth.unit)" }
        return "| \(growth.name) | \(ends.joined(separator: " | ")) | \(String(format: "%.2f", fit.exponent)) | "
          + "`deploy/bench \(benchmark.rawValue)` |"
      }
    }
    return """
      # Capacity

      What one primary carries, and how its costs grow.

      ## Overview

      This page is computed from <doc:Figures>, whose conditions apply: two cores, `fsync` on, and no standby. The daemon,
      the server and the load generator share the two cores.

      Real load has peaks, so the daily numbers use a tenth of the measured rates.
      With a standby, each commit also waits for a network round trip. This wait costs little throughput if many sessions
      write concurrently.

      ## Rates

      | work | per second | per day, at a tenth | command |
      |---|---|---|---|
      \(rows.joined(separator: "\n"))

      ## Growth

      An exponent of 1 is proportional growth, and 0 is none.

      | work | smallest size | largest size | exponent | command |
      |---|---|---|---|---|
      \(growths.joined(separator: "\n"))

      The simulation (<doc:SeveralNodes>) counts the statements of up to 64 nodes in virtual time, without faults.
      Each node polls at most once for a write and once for an item that falls due. So more nodes add polls, and no delay.

      ## Limits

      A single primary has three limits, and reaches them in this order:

      1. **One team or one race.** Transactions that change the same rows wait for each other's locks. With a standby, each commit holds its locks for an additional round trip.
      2. **NOTIFY and commits.** Writers notify only while a node sleeps. Flushes to disk limit the commit rate.
      3. **Size.** Occurrences, events, views and check-ins are partitioned, and old partitions are dropped. Journals are kept forever.

      A standby can serve slightly stale reads: set the gateway's `read_database_url`.
      Beyond one primary, split by system, then by region: see <doc:Cluster>.

      """
  }
}
