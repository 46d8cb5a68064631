import Daemon
import Foundation
import Postgres
import TestSupport

/// `deploy/bench tokens`: refreshes a second, and what connections cost that are not due.
struct TokensBench {
  let connections: Int
  let seconds: Int
  let repetitions: Int

  /// Connections that are refreshed, and those that are among the many that are not.
  private static let refreshed = 10_000
  private static let few = 50
  private static let small = 1000

  func run() async throws -> Report {
    let refreshes = try await BenchCluster.with { cluster in
      var report = Report()
      for repetition in 1...repetitions {
        note("tokens: refreshes, repetition \(repetition) of \(repetitions)")
        try await refresh(on: cluster, into: &report)
      }
      return report
    }
    // Its vacuum workers would count as transactions of the database.
    note(refreshes.table)
    return try await BenchCluster.with(autovacuum: false) { cluster in
      var report = refreshes
      for repetition in 1...repetitions {
        var costs: [TokensCost] = []
        for count in [Self.small, connections] {
          note("tokens: \(count) connections, repetition \(repetition) of \(repetitions)")
          costs.append(try await rest(among: count, on: cluster))
          costs.last?.add(to: &report, among: count)
        }
        report.add("due query: pages, many by few", "x", costs[1].pages / costs[0].pages, target: 1.5)
        report.add("due query: time, many by few", "x", costs[1].query / costs[0].query, target: 2)
        // The kernel counts hundredths of a second, and often none.
        report.add("idle processor a minute, many less few", "ms", costs[1].processor - costs[0].processor, target: 60)
      }
      return report
    }
  }

  /// Everybody's token is due at one instant.
  private func refresh(on cluster: BenchCluster, into report: inout Report) async throws {
    let world = try await TokensWorld(cluster, "tokens")
    let daemon = try await world.daemon()
    let exchange = try await world.time { try await world.connect(Self.refreshed) }
    report.add("exchanges a second", "1/s", Double(Self.refreshed) / exchange)
    let before = try ProcessUsage(pid: daemon.pid)
    let elapsed = try await world.time { try await world.makeDue() }
    let after = try ProcessUsage(pid: daemon.pid)
    let rotations = try await world.provider.report().rotations
    guard rotations == Self.refreshed else { throw BenchError("\(rotations) refreshes gave new tokens") }
    report.add("refreshes a second", "1/s", Double(Self.refreshed) / elapsed)
    let thousands = Double(Self.refreshed) / 1000
    report.add("processor of 1,000 refreshes", "s", (after.processor - before.processor) / thousands)
    report.add("resident after them", "MB", after.residentMegabytes)
    try await world.end(daemon)
  }

  /// Few connections live and fall due; all others are far from it.
  private func rest(among count: Int, on cluster: BenchCluster) async throws -> TokensCost {
    let world = try await TokensWorld(cluster, "idle_tokens")
    let daemon = try await world.daemon()
    _ = try await world.time { try await world.connect(Self.few) }
    try await world.plant(count - Self.few)
    try await world.owner.execute("SELECT pg_stat_statements_reset()")
    _ = try await world.time { try await world.makeDue() }
    let cost = try await TokensCost(world, daemon, seconds: seconds)
    try await world.end(daemon)
    return cost
  }
}
