import Postgres
import TestSupport
import Testing

@Suite("Stopping the daemon") struct StopTests {
  @Test func `SIGTERM ends an idle daemon with 0`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemon = try SettledProcess.daemon(database, node: "idle")
    try await untilTrue("sleep") {
      try await owner.query("SELECT EXISTS (SELECT FROM settled.node WHERE needs_notify)").one(Bool.self)
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    #expect(daemon.errors.text.contains("stopped"))
    #expect(try await owner.query("SELECT state FROM settled.node").one(String.self) == "stopped")
  }

  @Test func `SIGTERM in a herd finishes or rolls back, exits 0, and the next daemon does the rest`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let races = try await Herd(races: 600, entries: 30, athletes: 200).write(owner)
    let daemon = try SettledProcess.daemon(database, node: "herd")
    try await daemon.log("job=race-settlement")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    let settled = try await owner.query("SELECT count(*) FROM racing.race WHERE status = 'settled'").one(Int64.self)
    #expect(settled > 0 && settled < 600, "\(settled) races were settled before the stop")
    try await Books.check(owner)

    let next = try SettledProcess.daemon(database, node: "herd")
    try await owner.waitUntilSettled(races)
    try await Books.check(owner)
    next.terminate()
    #expect(try await next.exit() == .code(0))
    #expect(!next.errors.text.contains("did not stop cleanly"), "\(next.errors.text)")
  }

  @Test func `SIGTERM ends a daemon without its database with 0`() async throws {
    let daemon = try SettledProcess.daemon(url: "postgresql:///x?host=/nonexistent", node: "away")
    try await daemon.log("the database is unreachable")
    daemon.terminate()
    #expect(try await daemon.exit(within: .seconds(10)) == .code(0))
  }

  @Test func `SIGINT ends the daemon like SIGTERM`() async throws {
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "interrupted")
    try await daemon.log("ready")
    daemon.interrupt()
    #expect(try await daemon.exit() == .code(0))
  }
}
