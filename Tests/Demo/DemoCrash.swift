import Engine
import HostProcess
import Money
import Postgres

/// A daemon that is killed while it pays a race, and the next one, which pays it once.
struct DemoCrash: Sendable {
  let daemon: DemoDaemon
  let app: DemoApp
  let owner: DemoOwner
  let patience: DemoPatience
  let show: @Sendable (String) -> Void

  /// Kills the daemon in the middle of the settlement of `race`, which is due when `becomesDue` has moved the clock,
  /// and starts another one.
  func kill(paying race: Int64, becomesDue: @escaping @Sendable () async throws -> Void) async throws {
    let before = Pence(try await owner.total("wallet"))
    try await owner.withPostingsBlocked(race: race) {
      try await becomesDue()
    } andThen: {
      try await patience.wait("the settlement of race \(race)") { try await owner.blockedSettlements() > 0 ? 0 : 1 }
      show(
        "\nRace \(race) is being settled: ranks, prizes and the event are written, the money is on its way, nothing is "
          + "committed.")
      await daemon.kill()
      show("kill -9: the daemon is gone.")
      try await patience.wait("the end of the daemon's sessions") { try await owner.daemonSessions() }
    }
    let (status, after) = (try await app.status(race), Pence(try await owner.total("wallet")))
    show("  PostgreSQL took all of it back: race \(race) is \(status), and the wallets hold \(after) as before.")
    guard status == "ended", before == after else { throw Exit(.bug, "a killed daemon left something behind") }
    try await daemon.start()
    show("  A new daemon finds the race: no queue was lost, because there is none.")
  }
}

extension DemoOwner {
  /// Holds the race back while `prepare` runs, then every write of a posting until `body` ends.
  func withPostingsBlocked(
    race: Int64, _ prepare: @escaping @Sendable () async throws -> Void,
    andThen body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await pool.withDedicatedConnection(timeout: .seconds(900)) { connection in
      try await connection.transaction(commit: false) { transaction in
        try await transaction.execute("LOCK TABLE racing.posting IN SHARE MODE")
        try await transaction.execute("SAVEPOINT free")
        _ = try await transaction.query("SELECT id FROM racing.race WHERE id = \(race) FOR UPDATE")
        try await prepare()
        try await transaction.execute("ROLLBACK TO SAVEPOINT free")
        try await body()
      }
    }
  }

  /// Sessions of the daemon that wait to write postings.
  func blockedSettlements() async throws -> Int64 {
    try await number(
      """
      SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
      WHERE a.usename = 'settled_daemon' AND l.relation = 'racing.posting'::regclass AND NOT l.granted
      """)
  }

  func daemonSessions() async throws -> Int64 {
    try await number("SELECT count(*) FROM pg_stat_activity WHERE usename = 'settled_daemon'")
  }
}
