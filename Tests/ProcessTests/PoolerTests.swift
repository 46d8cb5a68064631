import Engine
import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// pgbouncer in transaction mode before a cluster of its own.
private struct Pooled {
  let cluster: EmbeddedPostgres
  let pooler: SettledProcess
  let owner: Connection

  init(_ own: [String] = []) async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "60"])
    _ = try await Migrator().migrate(ConnectionOptions(url: cluster.url()))
    let directory = cluster.directory
    let users = "\(directory)/users.txt"
    // From 1.21 on pgbouncer knows prepared statements, and from 1.24 on that is its default.
    let version = try await SettledProcess(["--version"], program: "/usr/sbin/pgbouncer").finished().output
    let knowsStatements = version.firstMatch(of: /PgBouncer 1\.(\d+)/).flatMap { Int($0.1) }.map { $0 >= 21 } ?? true
    try "\"settled_daemon\" \"\"\n\"settled_schedule\" \"\"\n".write(toFile: users, atomically: false, encoding: .utf8)
    let settings = """
      [databases]
      * = host=\(directory)
      [pgbouncer]
      pool_mode = transaction
      default_pool_size = 5
      max_client_conn = 200
      unix_socket_dir = \(directory)
      listen_port = 6432
      auth_type = trust
      auth_file = \(users)
      \(knowsStatements ? "max_prepared_statements = 0" : "")
      \(own.joined(separator: "\n"))
      """
    try settings.write(toFile: "\(directory)/pgbouncer.ini", atomically: false, encoding: .utf8)
    for name in ["users.txt", "pgbouncer.ini"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(directory)/\(name)")
    }
    let asUser = geteuid() == 0 ? ["-u", "postgres"] : []
    pooler = try SettledProcess(asUser + ["\(directory)/pgbouncer.ini"], program: "/usr/sbin/pgbouncer")
    try await pooler.log("process up")
    owner = try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "owner"))
    self.cluster = cluster
  }

  var url: String { cluster.url(user: "settled_daemon") + "&port=6432" }

  func daemon(_ environment: [String: String] = [:]) throws -> SettledProcess {
    let own = ["SETTLED_PREPARED_STATEMENTS": "off"].merging(SettledProcess.adminsAreOurs) { own, _ in own }
    return try SettledProcess.daemon(url: url, node: "pooled", own.merging(environment) { _, given in given })
  }

  func stop() async throws {
    pooler.interrupt()
    _ = try await pooler.exit()
    await owner.close()
    await cluster.stop()
  }
}

@Suite("A daemon behind pgbouncer in transaction mode", .timeLimit(.minutes(5))) struct PoolerTests {
  @Test func `a daemon behind pgbouncer does its whole work, and reports missing notifications`()
    async throws
  {
    let pooled = try await Pooled()
    let daemon = try pooled.daemon()
    try await daemon.log("ready")
    for _ in 0..<3 {
      let races = try await Herd(races: 20, entries: 6, athletes: 30).write(pooled.owner)
      try await pooled.owner.waitUntilSettled(races, within: .seconds(30))
    }
    try await Books.check(pooled.owner)
    _ = try await pooled.owner.query("SELECT checkins.onboard('walker', 'Europe/London')")
    try await pooled.owner.execute("SELECT settled.emit('test', 'k', '{}', clock_timestamp())")
    try await untilTrue("an event's position", within: .seconds(30)) {
      try await pooled.owner.query("SELECT EXISTS (SELECT FROM settled.event WHERE topic = 'test')").one(Bool.self)
    }
    let status = try await daemon.settlectl("status")
    #expect(status.exit == .code(0) && status.output.contains("a proxy that pools transactions"), "\(status)")
    // What the configuration asks for is no problem. That there is no provider is one, and the only one.
    let problem = "racing.proof is on, but no node has a provider: new athletes cannot enter races"
    let line = "! \(problem.prefix(50))"
    #expect(status.output.contains(": DEGRADED, 1 problem\n") && status.output.contains(line), "\(status.output)")
    let doctor = try await daemon.settlectl("doctor", "--json").output
    #expect(doctor.contains(#""this node is degraded: \#(problem)""#), "\(doctor)")
    for command in ["pause", "resume"] {
      let done = try await daemon.settlectl("job", command, "race-settlement")
      #expect(done.exit == .code(0), "\(done)")
    }
    let missing = try await pooled.owner.query("SELECT count(*) FROM settled.failure").one(Int64.self)
    #expect(missing == 0)
    #expect(!daemon.errors.text.contains("the database is unreachable"), "\(daemon.errors.text)")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    try await pooled.stop()
  }

  @Test func `doctor names prepared statements as the cause of failures behind pgbouncer`() async throws {
    // A quiet pooler hands out one server again and again, where nothing fails. This one hands out the next each time.
    let pooled = try await Pooled(["server_round_robin = 1", "min_pool_size = 5"])
    let daemon = try pooled.daemon(["SETTLED_PREPARED_STATEMENTS": "on"])
    try await daemon.log("listening on a socket")
    try await untilTrue("the remedy") {
      let doctor = try await daemon.settlectl("doctor", "--json")
      return doctor.output.contains("set prepared_statements = off")
    }
    daemon.terminate()
    let exit = try await daemon.exit()
    #expect(exit == .code(0), "\(exit): \(daemon.errors.text)")
    try await pooled.stop()
  }

  @Test func `no connection behind pgbouncer runs a statement that another has prepared`() async throws {
    let pooled = try await Pooled()
    let options = ConnectionOptions(url: pooled.url)
    let (one, two) = (try await Connection.connect(options), try await Connection.connect(options))
    // Each prepares on a server of its own, because both are in a transaction; then they change places.
    for connection in [one, two] { try await connection.execute("BEGIN") }
    #expect(try await answer(one, "SELECT 'one'") == "one")
    #expect(try await answer(two, "SELECT 'two'") == "two")
    for connection in [one, two] { try await connection.execute("COMMIT") }
    var answers: [[String]] = []
    for _ in 0..<4 {
      for connection in [one, two] { try await connection.execute("BEGIN") }
      answers.append([try await answer(one, "SELECT 'one'"), try await answer(two, "SELECT 'two'")])
      for connection in [one, two] { try await connection.execute("ROLLBACK") }
    }
    #expect(answers == Array(repeating: ["one", "two"], count: 4))
    for connection in [one, two] { await connection.close() }
    try await pooled.stop()
  }

  private func answer(_ connection: Connection, _ statement: Statement) async throws -> String {
    do {
      return try await connection.query(statement).one(String.self)
    } catch {
      return error.sqlState ?? "\(error)"
    }
  }

  @Test func `operators' functions are refused behind pgbouncer, and run with a direct URL`() async throws {
    let pooled = try await Pooled()
    let add = ["schedule", "add", "mine", "--cron", "* * * * *", "--zone", "UTC", "--call", "pg_catalog.now"]
    let without = try pooled.daemon()
    try await without.log("ready")
    let refused = try await without.settlectl(add)
    #expect(refused.exit == .code(1) && refused.errors.contains("schedules_database_url"), "\(refused)")
    without.terminate()
    #expect(try await without.exit() == .code(0))

    let with = try pooled.daemon(["SETTLED_SCHEDULES_DATABASE_URL": pooled.cluster.url(user: "settled_schedule")])
    try await with.log("ready")
    let added = try await with.settlectl(add)
    #expect(added.exit == .code(0), "\(added)")
    try await untilTrue("a tick that ran", within: .seconds(100)) {
      try await pooled.owner.query(
        "SELECT EXISTS (SELECT FROM settled.occurrence WHERE schedule = 'mine' AND status = 'ran')"
      ).one(Bool.self)
    }
    with.terminate()
    #expect(try await with.exit() == .code(0))

    let again = try pooled.daemon()
    try await again.log("ready")
    let doctor = try await again.settlectl("doctor")
    #expect(doctor.exit == .code(1))
    #expect(doctor.output.contains("proxy that pools transactions does not provide"), "\(doctor)")
    again.terminate()
    #expect(try await again.exit() == .code(0))
    try await pooled.stop()
  }
}
