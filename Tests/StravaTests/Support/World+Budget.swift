import Postgres
import DaemonSupport
import TestSupport

/// Tests of budgets and of the breaker use these.
extension World {
  /// Athletes with active connections, at the world's start.
  func active(_ count: Int) async throws -> [Int64] {
    let athletes = try await connect(count)
    for athlete in athletes { try await until(athlete, is: "active") }
    return athletes
  }

  /// An hour after the start, in windows of its own, these athletes are due; nobody else is.
  func makeDue(_ athletes: [Int64]) async throws {
    try await setClock(Self.start + Self.hour)
    try await due(athletes)
  }

  func due(_ athletes: [Int64]) async throws {
    try await owner.execute(
      "UPDATE strava.connection SET next_call_at = settled.clock() WHERE athlete_id = ANY(\(athletes))")
  }

  func refreshes() async throws -> Int { try await provider.report().refreshes }

  /// Waits for so many refreshes, and then for two looks in which there are no more.
  func expectRefreshes(_ count: Int, _ nodes: [TestNode]) async throws {
    try await expectRefreshes(count...count, nodes)
  }

  func expectRefreshes(_ counts: ClosedRange<Int>, _ nodes: [TestNode]) async throws {
    // A call that a busy machine makes time out is made again after pauses that grow.
    try await untilTrue("\(counts) refreshes", within: .seconds(240)) {
      try await self.refreshes() >= counts.lowerBound
    }
    for _ in 0..<2 {
      for node in nodes { try await node.untilPolled() }
    }
    let seen = try await refreshes()
    guard counts.contains(seen) else { throw TimeLimitError(description: "\(seen) refreshes instead of \(counts)") }
  }

  func set(_ key: String, _ value: String) async throws {
    try await owner.execute("SELECT settled.set(\(key), \(value))")
  }

  /// Everything that the provider counts as wasted is nothing.
  func wasted() async throws -> Int {
    let report = try await provider.report()
    return report.limited + report.callsInSpentWindow
  }
}
