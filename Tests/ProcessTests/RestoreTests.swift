import EmbeddedPostgres
import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A restored backup") struct RestoreTests {
  /// The database at one moment, as its files: a cold copy that the server recovers from, on a new timeline.
  private struct Backup {
    let cluster: EmbeddedPostgres
    let directory: ScratchDirectory

    init(of cluster: EmbeddedPostgres) async throws {
      self.cluster = cluster
      directory = try ScratchDirectory()
      try await cluster.pause()
      try Self.run("cp -a '\(cluster.directory)/data' '\(directory.path)/data'")
      try await cluster.resume()
    }

    func putBack() async throws {
      try await cluster.pause()
      try Self.run(
        """
        rm -rf '\(cluster.directory)/data' && cp -a '\(directory.path)/data' '\(cluster.directory)/data' &&
        echo "restore_command = 'false'" >>'\(cluster.directory)/data/postgresql.conf' &&
        touch '\(cluster.directory)/data/recovery.signal' &&
        chown --reference='\(cluster.directory)/data' '\(cluster.directory)/data/recovery.signal'
        """)
      try await cluster.resume()
    }

    private static func run(_ script: String) throws {
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-ec", script]
      try shell.run()
      shell.waitUntilExit()
      try #require(shell.terminationStatus == 0, "\(script)")
    }
  }

  private func daemon(_ cluster: EmbeddedPostgres, _ state: ScratchDirectory) throws -> SettledProcess {
    // Nobody listens at the address of Strava.
    let own = [
      "SETTLED_STATE_DIRECTORY": state.path, "SETTLED_STRAVA_OAUTH_BASE": "http://127.0.0.1:1",
      "SETTLED_STRAVA_CLIENT_ID": "1", "SETTLED_STRAVA_CLIENT_SECRET": "s",
      "SETTLED_TOKEN_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
    ]
    return try SettledProcess.daemon(
      url: cluster.url(user: "settled_daemon"), node: "restored", SettledProcess.adminsAreOurs.merging(own) { $1 })
  }

  private func settled(_ races: [Int64], _ owner: Connection) async throws -> Int64 {
    try await owner.query("SELECT count(*) FROM racing.settlement WHERE race_id = ANY(\(races))").one(Int64.self)
  }

  @Test func `a restored backup settles nothing until an operator accepts it, and then everything once`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "40"])
    _ = try await Migrator().migrate(ConnectionOptions(url: cluster.url()))
    let state = try ScratchDirectory()
    func owner() async throws -> Connection { try await Connection.connect(ConnectionOptions(url: cluster.url())) }

    let first = try daemon(cluster, state)
    try await first.log("ready")
    try await untilTrue("what the node remembers") {
      FileManager.default.fileExists(atPath: state.path + "/database-history")
    }
    first.terminate()
    #expect(try await first.exit() == .code(0))
    var session = try await owner()
    let races = try await Herd(races: 5, entries: 4).write(session)
    await session.close()
    let backup = try await Backup(of: cluster)

    let second = try daemon(cluster, state)
    session = try await owner()
    try await session.waitUntilSettled(races)
    second.terminate()
    #expect(try await second.exit() == .code(0))
    await session.close()

    try await backup.putBack()
    session = try await owner()
    #expect(try await settled(races, session) == 0)
    let third = try daemon(cluster, state)
    try await third.log("THE DATABASE WAS RESTORED")
    try await untilTrue("the problem in the status") {
      try await third.settlectl("status").output.contains("settlectl restore accept")
    }
    let jobs = try Answered(try await third.settlectl("jobs", "--json"))
    for name in ["race-settlement", "token-refresh"] {
      let index = (0..<jobs.count()).first { jobs.text($0, "name") == name } ?? -1
      #expect(jobs.text(index, "state") == "idle", "\(name)")
      let run = try await third.settlectl("job", "run", name)
      #expect(run.exit == .code(1) && run.errors.contains("rule restore"), "\(run.errors)")
    }
    let metrics = try await SettledProcess(
      ["-sS", "--max-time", "60", "--unix-socket", third.healthSocket, "http://x/metrics"], program: "/usr/bin/curl"
    ).finished().output
    #expect(metrics.contains("settled_restore_unaccepted 1"))
    #expect(metrics.contains(#"settled_job_paused{job="race-settlement"} 0"#))
    let forced = try await third.settlectl("race", "settle", "\(races[0])")
    #expect(forced.exit == .code(1) && forced.errors.contains("rule restore"), "\(forced.errors)")
    #expect(try await third.settlectl("doctor").exit == .code(1))
    #expect(try await settled(races, session) == 0)

    let accepted = try await third.settlectl("restore", "accept", "--reason", "the disk broke", "--json")
    #expect(accepted.exit == .code(0), "\(accepted.errors)")
    #expect(accepted.output.contains(#""timeline": 2"#), "\(accepted.output)")
    try await session.waitUntilSettled(races)
    try await Books.check(session)
    #expect(try await third.settlectl("restore", "accept", "--reason", "again").exit == .code(1))
    third.terminate()
    #expect(try await third.exit() == .code(0))

    let fourth = try daemon(cluster, state)
    try await fourth.log("ready")
    #expect(try await !fourth.settlectl("status").output.contains("restore accept"))
    fourth.terminate()
    #expect(try await fourth.exit() == .code(0))
    await cluster.stop()
  }
}
