import Engine
import HostProcess
import HostClock
import Postgres
import TestSupport

/// The cost of connections: the statements that find due ones, and a daemon at rest.
struct TokensCost {
  /// Of one look for due connections: milliseconds, and pages.
  let query: Double
  let pages: Double
  /// Of one claim.
  private let claim: Double
  private let claimPages: Double
  /// Of a minute in which nothing is due.
  private let transactions: Double
  /// Milliseconds of a minute.
  let processor: Double
  private let resident: Double

  init(_ world: TokensWorld, _ daemon: SettledProcess, seconds: Int) async throws {
    (query, pages) = try await Breakdown.mean("%pg_current_snapshot%strava.connection%", world.owner)
    (claim, claimPages) = try await Breakdown.mean("%strava.connection%SKIP LOCKED%", world.owner)
    // The server counts a session's transactions when it has been idle for 10 s.
    try await Host.timekeeper.sleep(.seconds(12))
    let (before, usage) = (try await Self.transactions(world), try ProcessUsage(pid: daemon.pid))
    try await Host.timekeeper.sleep(.seconds(seconds))
    let (after, later) = (try await Self.transactions(world), try ProcessUsage(pid: daemon.pid))
    let minutes = Double(seconds) / 60
    transactions = Double(after - before) / minutes
    processor = (later.processor - usage.processor) * 1000 / minutes
    resident = later.residentMegabytes
  }

  func add(to report: inout Report, among count: Int) {
    report.add("\(count) connections: due query", "ms", query)
    report.add("\(count) connections: due query, pages", "", pages)
    report.add("\(count) connections: claim", "ms", claim)
    report.add("\(count) connections: claim, pages", "", claimPages)
    report.add("\(count) connections: idle transactions a minute", "", transactions)
    report.add("\(count) connections: idle processor a minute", "ms", processor)
    report.add("\(count) connections: resident", "MB", resident)
  }

  /// As another database sees it, so that the question is not counted.
  private static func transactions(_ world: TokensWorld) async throws -> Int64 {
    let other = try await world.cluster.connect("postgres")
    let count = try await other.query(
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = \(world.name)"
    ).one(Int64.self)
    await other.close()
    return count
  }
}
