import Foundation
import TestSupport
import Testing

/// Once each in deploy/test, five times each in `deploy/soak cluster`.
@Suite(
  "A cluster under Patroni", .enabled(if: Cluster.absence == nil, "\(Cluster.absence ?? "")"),
  .timeLimit(.minutes(60)))
struct ClusterTests {
  private static let rounds = ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil ? 5 : 1

  @Test func `fails over under load: each race is settled once, and nothing that was acknowledged is lost`()
    async throws
  {
    let random = SeededGenerator()
    let cluster = try await Cluster()
    do {
      let campaign = try await ClusterCampaign(cluster, random)
      for round in 1...Self.rounds {
        for blow in ClusterBlow.allCases { print("cluster: \(try await campaign.endure(blow, round: round))") }
      }
      print("cluster: \(try await campaign.judge())")
    } catch {
      print("cluster: the logs are in \(cluster.directory)/log; \(random)")
      try await cluster.stop(keepingLogs: true)
      throw error
    }
    try await cluster.stop(keepingLogs: false)
  }
}
