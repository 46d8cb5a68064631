import Postgres
import TestSupport
import Testing

@Suite("Several daemons") struct SharingTests {
  @Test func `two daemons share the work, and settle every race once`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemons = try ["one", "two"].map { try SettledProcess.daemon(database, node: $0) }
    for daemon in daemons { try await daemon.log("ready") }
    let races = try await Herd(races: 1000, entries: 20, athletes: 200).write(owner, status: "active")
    try await owner.waitUntilSettled(races)
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons {
      #expect(try await daemon.exit() == .code(0))
      #expect(daemon.errors.text.contains("job=race-settlement"), "one of them did nothing: \(daemon.errors.text)")
    }
    try await Books.check(owner)
  }

  @Test func `a sleeping daemon is woken by another session's write`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemon = try SettledProcess.daemon(database, node: "sleeper")
    for _ in 0..<3 {
      try await untilTrue("sleep") {
        try await owner.query("SELECT EXISTS (SELECT FROM settled.node WHERE needs_notify)").one(Bool.self)
      }
      let races = try await Herd(races: 2, entries: 4).write(owner)
      // Well below the sweep of five minutes and the heartbeat of one.
      try await owner.waitUntilSettled(races, within: .seconds(20))
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
