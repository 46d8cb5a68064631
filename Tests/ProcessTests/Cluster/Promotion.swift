import Postgres
import TestSupport

/// Looks which standby becomes the primary, at each of them.
struct Promotion: Sendable {
  private let standbys: [Connection]

  /// - Parameter leader: the machine that writes before.
  init(_ cluster: Cluster, leader: Int) async throws {
    var standbys: [Connection] = []
    for machine in Cluster.machines where machine != leader {
      standbys.append(
        try await Connection.connect(
          ConnectionOptions(url: cluster.url("postgres", of: machine), applicationName: "cluster test")))
    }
    self.standbys = standbys
  }

  /// The instant at which one of them writes.
  func wait() async throws -> ContinuousClock.Instant {
    try await untilTrue("a promotion", within: .seconds(120)) {
      for standby in standbys {
        if try await !standby.query("SELECT pg_is_in_recovery()").one(Bool.self) { return true }
      }
      return false
    }
    return .now
  }

  func close() async {
    for standby in standbys { await standby.close() }
  }
}
