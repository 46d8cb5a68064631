import Foundation
import Postgres
import TestSupport
import Testing

/// A blow to the cluster, and what heals it.
enum ClusterBlow: String, CaseIterable {
  case memberOfEtcdKilled, serverKilled, machineKilled, switchover, primaryCutOff, standbyStopped

  /// Whether another machine has to take over.
  var promotes: Bool { self != .memberOfEtcdKilled && self != .standbyStopped }

  /// Strikes the machine that writes, or its standby; returns what heals.
  func strike(_ cluster: Cluster, leader: Int) async throws -> @Sendable () async throws -> Void {
    switch self {
    case .memberOfEtcdKilled: return try await kill(["etcd\(leader)"], cluster)
    case .serverKilled: return try await kill(["patroni\(leader)", "postgres\(leader)"], cluster)
    case .machineKilled:
      let guests = leader == 3 ? [] : ["daemon\(leader)", "gateway\(leader)"]
      return try await kill(["etcd\(leader)", "patroni\(leader)", "postgres\(leader)"] + guests, cluster)
    case .switchover:
      let candidate = try #require(try await cluster.confirmingStandby())
      try await cluster.run(
        "patronictl", "switchover", "--leader", "node\(leader)", "--candidate", "node\(candidate)", "--force")
      return {}
    case .primaryCutOff:
      try await cluster.run("cut", "\(leader)")
      return { try await cluster.run("join", "\(leader)") }
    case .standbyStopped:
      let standby = try #require(try await cluster.confirmingStandby())
      try await cluster.run("signal", "STOP", "postgres\(standby)")
      return { try await cluster.run("signal", "CONT", "postgres\(standby)") }
    }
  }

  /// What was killed is started again, as a service manager does; Patroni starts the server.
  private func kill(_ names: [String], _ cluster: Cluster) async throws -> @Sendable () async throws -> Void {
    try await cluster.run("signal", ["KILL"] + names)
    return { try await cluster.run("up", names.filter { !$0.hasPrefix("postgres") }) }
  }
}
