import Engine
import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

@Suite("Two daemons of one name") struct NodeNameTests {
  @Test func `a second daemon of one name exits 75 and names the first, which is undisturbed`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let first = try SettledProcess.daemon(database, node: "twin")
    try await first.log("ready")
    let row: Statement = "SELECT concat_ws(' ', node, state, started_at) FROM settled.node"
    let before = try await owner.query(row).one(String.self)
    let second = try await SettledProcess.daemon(database, node: "twin").finished()
    #expect(second.exit == .code(75))
    let last = second.errors.split(separator: "\n").last ?? ""
    #expect(
      last.hasPrefix("settled: another daemon is running as node twin: it is connected from "), "\(second.errors)")
    #expect(!second.errors.contains("ready"))
    #expect(try await owner.query(row).one(String.self) == before)
    let races = try await Herd(races: 3, entries: 4).write(owner)
    try await owner.waitUntilSettled(races)
    first.terminate()
    #expect(try await first.exit() == .code(0))
  }

  @Test func `the next daemon of a name starts at once after kill -9, again and again`() async throws {
    let database = try await SettledDatabase.real()
    for round in 0..<3 {
      let daemon = try SettledProcess.daemon(database, node: "phoenix")
      try await daemon.log("ready crash_recovery=\(round > 0)", within: .seconds(20))
      daemon.killHard()
    }
  }

  @Test func `a daemon keeps its name when the database returns, and one of two waiting ones gets it`()
    async throws
  {
    let cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "40"])
    _ = try await Migrator().migrate(ConnectionOptions(url: cluster.url()))
    let url = cluster.url(user: "settled_daemon")
    let daemon = try SettledProcess.daemon(url: url, node: "steady")
    try await daemon.log("ready")
    try await cluster.pause()
    try await daemon.log("the database is unreachable")
    let others = try (0..<2).map { _ in try SettledProcess.daemon(url: url, node: "rivals") }
    for other in others { try await other.log("the database is unreachable") }
    try await cluster.resume()
    try await daemon.log("the database is back")
    let loser = try await TestSupport.within(.seconds(60), "one of the rivals to give way") {
      try await firstToEnd(others)
    }
    #expect(loser.errors.contains("another daemon is running as node rivals"), "\(loser.errors)")
    #expect(loser.exit == .code(75))
    let owner = try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "owner"))
    let isHeld: Statement = """
      SELECT EXISTS (SELECT FROM settled.node AS n JOIN pg_stat_activity AS a
        ON a.pid = n.backend_pid AND a.backend_start = n.backend_start WHERE n.node = 'steady')
      """
    try await untilTrue("the session that holds the name is back") { try await owner.query(isHeld).one(Bool.self) }
    let late = try await SettledProcess.daemon(url: url, node: "steady").finished()
    #expect(late.exit == .code(75) && late.errors.contains("as node steady"), "\(late.errors)")

    let races = try await Herd(races: 3, entries: 4).write(owner)
    try await owner.waitUntilSettled(races)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await cluster.stop()
  }

  private func firstToEnd(_ processes: [SettledProcess]) async throws -> Finished {
    try await withThrowingTaskGroup { group in
      for process in processes { group.addTask { try await process.finished() } }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  @Test func `two daemons of one name both work behind a transaction-pooling proxy`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let off = ["SETTLED_PREPARED_STATEMENTS": "off"]
    let daemons = try (0..<2).map { _ in try SettledProcess.daemon(database, node: "pooled", off) }
    for daemon in daemons { try await daemon.log("ready") }
    let holders: Statement = "SELECT count(*) FROM settled.node WHERE backend_pid IS NOT NULL"
    #expect(try await owner.query(holders).one(Int64.self) == 0)
    let races = try await Herd(races: 20, entries: 4).write(owner)
    try await owner.waitUntilSettled(races)
    try await Books.check(owner)
    for daemon in daemons {
      daemon.terminate()
      #expect(try await daemon.exit() == .code(0))
    }
  }
}
