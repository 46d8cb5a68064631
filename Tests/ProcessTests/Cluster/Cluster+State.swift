import Postgres
import TestSupport

extension Cluster {
  /// Asks the machine that writes, through a connection of its own: none outlives a blow.
  func ask<Value: PostgresDecodable & Sendable>(_ statement: Statement, _ type: Value.Type) async throws -> Value {
    let owner = try await owner()
    let value = try await owner.query(statement).one(type)
    await owner.close()
    return value
  }

  func owner() async throws -> Connection {
    try await Connection.connect(ConnectionOptions(url: url("postgres"), applicationName: "cluster test"))
  }

  /// Asks until the database responds: what is asked may be done twice.
  func persist<R: Sendable>(_ body: (Connection) async throws -> R) async throws -> R {
    let start = ContinuousClock.now
    while true {
      do {
        let owner = try await owner()
        let value = try await body(owner)
        await owner.close()
        return value
      } catch let error as PostgresError where error.asksForRepetition && start.duration(to: .now) < .seconds(120) {
        try await pauseBetweenLooks()
      }
    }
  }

  /// The machine that writes.
  func leader() async throws -> Int {
    try await persist {
      let address = try await $0.query("SELECT host(inet_server_addr())").one(String.self)
      return Int(address.split(separator: ".").last ?? "") ?? 0
    }
  }

  /// The standby that Patroni has written down as the one that confirms commits: it
  /// alone may take over. Nil where none is.
  ///
  /// The server's own word comes earlier: while Patroni has none, every standby confirms, and nobody may take over.
  func confirmingStandby() async throws -> Int? {
    for machine in Self.machines where try await answers("/synchronous", machine) { return machine }
    return nil
  }

  /// Two standbys follow, one of which may take over; daemons and gateways are ready.
  func untilWhole() async throws {
    try await untilTrue("two standbys, one of which may take over", within: .seconds(180)) {
      let streaming = try await ask(
        "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", Int64.self)
      guard streaming == 2 else { return false }
      return try await confirmingStandby() != nil
    }
    try await untilTrue("daemons and gateways that are ready") { await isReady() }
  }
}
