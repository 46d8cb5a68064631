import Engine
import EmbeddedPostgres
import Glibc
import Postgres
import TestSupport
import Testing

/// A cluster of one test's own, which it may stop; with a migrated database.
private struct OwnCluster {
  let cluster: EmbeddedPostgres

  init() async throws {
    cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "40"])
    _ = try await Migrator().migrate(ConnectionOptions(url: cluster.url()))
  }

  func owner() async throws -> Connection {
    try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "owner"))
  }

  func daemon() throws -> SettledProcess {
    try SettledProcess.daemon(
      url: cluster.url(user: "settled_daemon"), node: "away", SettledProcess.adminsAreOurs)
  }
}

@Suite("A daemon without its database") struct DatabaseAwayTests {
  @Test func `a daemon without a database at its start stays up, and works once it is there`() async throws {
    let own = try await OwnCluster()
    let races = try await Herd(races: 5, entries: 4).write(try await own.owner())
    try await own.cluster.pause()
    let daemon = try own.daemon()
    try await daemon.log("the database is unreachable")
    try await own.cluster.resume()
    try await daemon.log("the database is back")
    let owner = try await own.owner()
    try await owner.waitUntilSettled(races)
    try await Books.check(owner)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await own.cluster.stop()
  }

  @Test func `a drain without a database is in the journal at once, and in the audit later`() async throws {
    let own = try await OwnCluster()
    let daemon = try own.daemon()
    try await daemon.log("ready")
    try await own.cluster.pause()
    try await daemon.log("the database is unreachable")
    let drain = try await daemon.settlectl("drain")
    #expect(drain.exit == .code(0), "\(drain.errors)")
    try await daemon.log("a command ran while the database was unreachable; its audit row will follow command=drain")
    #expect(daemon.errors.text.contains("target=away uid=\(getuid())"))
    try await own.cluster.resume()
    let owner = try await own.owner()
    try await untilTrue("the audit row") {
      try await owner.query(
        "SELECT count(*) FROM settled.audit WHERE command = 'drain' AND uid = \(Int64(getuid())) AND pid > 1"
      ).one(Int64.self) == 1
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await own.cluster.stop()
  }

  @Test(arguments: [false, true])
  func `a daemon survives a stop and a crash of the database in the middle of a herd`(isCrash: Bool) async throws {
    let own = try await OwnCluster()
    let races = try await Herd(races: 800, entries: 25, athletes: 200).write(try await own.owner())
    let daemon = try own.daemon()
    try await daemon.log("job=race-settlement")
    if isCrash { try await own.cluster.kill() } else { try await own.cluster.pause() }
    try await daemon.log("the database is unreachable")
    try await own.cluster.resume()
    let owner = try await own.owner()
    try await Books.check(owner)
    try await daemon.log("the database is back")
    try await owner.waitUntilSettled(races)
    try await Books.check(owner)
    let failures = try await owner.query("SELECT concat_ws(' ', job, key, error) FROM settled.failure").decode(
      String.self)
    #expect(failures.isEmpty, "\(failures)")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await own.cluster.stop()
  }

  @Test func `a daemon whose sessions are ended again and again continues`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let races = try await Herd(races: 400, entries: 25, athletes: 100).write(owner)
    let daemon = try SettledProcess.daemon(database, node: "terminated")
    for _ in 0..<5 {
      try await untilTrue("a session") { try await owner.endSessions(of: "settled") > 0 }
    }
    // These may all have been of its beginning, before it looked at anything.
    try await untilTrue("the loss of one by which it looks") {
      _ = try await owner.endSessions(of: "settled")
      return daemon.errors.text.contains("the database is unreachable")
    }
    try await owner.waitUntilSettled(races)
    try await Books.check(owner)
    let late = try await Herd(races: 3, entries: 4).write(owner)
    try await owner.waitUntilSettled(late)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
