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

  /// The instant at which one of them writes. The other may have gone away meanwhile.
  func wait() async throws -> ContinuousClock.Instant {
    try await untilTrue("a promotion", within: .seconds(120)) {
      for standby in standbys {
        if try await isWriting(standby) { return true }
      }
      return false
    }
    return .now
  }

  private func isWriting(_ standby: Connection) async throws -> Bool {
    do {
      return try await !standby.query("SELECT pg_is_in_recovery()").one(Bool.self)
    } catch {
      guard error.verdict == .connection || error.code == .closed else { throw error }
      return false
    }
  }

  func close() async {
    for standby in standbys { await standby.close() }
  }
}
