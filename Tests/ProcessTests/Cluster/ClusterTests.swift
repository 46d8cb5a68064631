import Foundation
import TestSupport
import Testing

/// Once each in deploy/test, five times each in `deploy/soak cluster`.
@Suite(
  "A cluster under Patroni", .enabled(if: Cluster.absence == nil, "\(Cluster.absence ?? "")"),
  .timeLimit(.minutes(60)))
struct ClusterTests {
  private static let rounds = ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil ? 5 : 1

  @Test func `a cluster fails over under load, settles each race once, and loses nothing acknowledged`()
    async throws
  {
    let random = SeededGenerator()
    let cluster = try await Cluster()
    do {
      try await takesNoOrders(cluster)
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

  /// A stranger on the network, or a local user on loopback, would choose the primary otherwise.
  private func takesNoOrders(_ cluster: Cluster) async throws {
    for machine in Cluster.machines {
      let reading = try await cluster.curl(["-k", cluster.etcd(machine) + "/v2/keys"])
      // 55 and 56: the connection ended within the handshake; 7 would be one that nobody took.
      #expect(reading.exit == .code(55) || reading.exit == .code(56), "\(reading)")
    }
    let plain = try await cluster.curl(["-f", cluster.etcd(1).replacing("https", with: "http") + "/v2/keys"])
    #expect(plain.exit == .code(52), "an empty answer: \(plain)")
    let order = try await cluster.curl(["-X", "PATCH", "-d", "{\"ttl\": 21}", cluster.patroni(1) + "/config"])
    #expect(order.output.contains("no auth"), "\(order)")
  }
}
