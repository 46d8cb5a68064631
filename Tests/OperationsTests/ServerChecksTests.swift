import EmbeddedPostgres
import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Operations

/// What `doctor` says of the server, asked as the daemon's own role.
@Suite("The checks of the server") struct ServerChecksTests {
  private func ask(
    _ database: SettledDatabase, _ check: @escaping @Sendable (Transaction) async throws -> Check.Finding
  ) async throws -> Check.Finding {
    try await database.pool().transaction(readOnly: true) { try await check($0) }
  }

  @Test func `the server checks find nothing wrong with a new database`() async throws {
    let database = try await SettledDatabase.real()
    for check in ServerChecks.checks {
      let finding = try await ask(database, check.run)
      #expect(finding.isOk && finding.remedy == nil, "\(check.name): \(finding.finding)")
    }
  }

  @Test func `the server checks name a change of the locale data, with both versions`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await administrator.execute("CREATE DATABASE local LOCALE_PROVIDER icu ICU_LOCALE 'en' TEMPLATE template0")
    let local = try await Connection.connect(ConnectionOptions(url: cluster.url(database: "local")))
    let changed = ServerStatements.changedCollation
    let before = try await local.query(changed).first(String.self, String.self)
    #expect(before == nil)
    try await administrator.execute("UPDATE pg_database SET datcollversion = '1.0' WHERE datname = 'local'")
    let collation = try #require(ServerChecks.checks.first { $0.name == "collation" })
    let found = try await local.transaction(readOnly: true) { try await collation.run($0) }
    #expect(!found.isOk && found.finding.contains("(1.0, now "), "\(found.finding)")
    #expect(found.remedy == "REINDEX DATABASE local; then ALTER DATABASE local REFRESH COLLATION VERSION")
    for session in [local, administrator] { await session.close() }
    await cluster.stop()
  }

  @Test func `the server checks name what is damaged, and what is not of settled`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let objects = try #require(ServerChecks.checks.first { $0.name == "objects" })
    try await owner.script("CREATE INDEX report ON racing.journal (kind)")
    let foreign = try await ask(database, objects.run)
    #expect(
      foreign.isOk && foreign.finding.hasSuffix("other objects: index report of racing.journal"), "\(foreign.finding)")
    try await owner.script(
      """
      ALTER TABLE racing.journal DISABLE TRIGGER append_only; ALTER TABLE racing.journal DROP CONSTRAINT journal_once;
      CREATE OR REPLACE FUNCTION settled.clock() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'
      """)
    let damaged = try await ask(database, objects.run)
    for name in [
      "trigger append_only of racing.journal is disabled", "constraint journal_once of racing.journal is missing",
      "function settled.clock() differs in",
    ] {
      #expect(!damaged.isOk && damaged.finding.contains(name), "\(damaged.finding)")
    }
    #expect(try await database.database.migrate().putBack.count == 3)
    let after = try await ask(database, objects.run)
    #expect(after == foreign)
  }

  @Test func `the server checks name settings with which no trigger fires, with statements that end them`() async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let name = try await owner.query("SELECT quote_ident(current_database())").one(String.self)
    let check = try #require(ServerChecks.checks.first { $0.name == "triggers fire" })
    try await owner.execute("ALTER DATABASE \(raw: name) SET session_replication_role = local")
    try await owner.execute(
      "ALTER ROLE settled_daemon IN DATABASE \(raw: name) SET session_replication_role = replica")
    let found = try await ask(database, check.run)
    let remedies = ["DATABASE \(name)", "ROLE settled_daemon IN DATABASE \(name)"]
      .map { "ALTER \($0) RESET session_replication_role" }
    #expect(!found.isOk && found.remedy == remedies.joined(separator: "; "), "\(found)")
    try await owner.script(try #require(found.remedy))
    #expect(try await ask(database, check.run).isOk)
  }

  @Test func `the server checks name sequences behind their tables, with statements that put them right`()
    async throws
  {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let athlete: Statement = "SELECT racing.create_athlete('Ada', date '1999-05-05', 'female')"
    for _ in 0..<3 { try await owner.execute(athlete) }
    try await owner.execute("SELECT setval('racing.athlete_id_seq', 1)")
    let sequences = try #require(ServerChecks.checks.first { $0.name == "sequences" })
    let found = try await ask(database, sequences.run)
    #expect(!found.isOk && found.finding.contains("in use: racing.athlete_id_seq;"), "\(found.finding)")
    #expect(found.remedy == "SELECT setval('racing.athlete_id_seq', 3);")
    await #expect(throws: PostgresError.self) { try await owner.execute(athlete) }
    try await owner.script(try #require(found.remedy))
    try await owner.execute(athlete)
    let after = try await ask(database, sequences.run)
    #expect(after.isOk, "\(after.finding)")
  }

  @Test func `the server checks name a transaction that stays open while many others begin`() async throws {
    let database = try await SettledDatabase.real()
    let (old, other) = (try await database.connect(), try await database.connect())
    try await old.execute("BEGIN")
    try await old.execute("SELECT settled.set('settled.event_retention', '91d')")
    for _ in 0..<12 { try await other.execute("SELECT pg_current_xact_id()") }
    let found = try await ask(database) { try await ServerChecks.oldTransactions(10, $0) }
    #expect(!found.isOk && found.finding.contains("transactions"), "\(found.finding)")
    try await old.execute("ROLLBACK")
  }

  @Test func `the server checks name a table that is full of dead rows`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      """
      ALTER TABLE settled.lease SET (autovacuum_enabled = false);
      INSERT INTO settled.problem (name, problem, since) SELECT n::text, 'p', now() FROM generate_series(1, 200) AS n;
      ALTER TABLE settled.problem SET (autovacuum_enabled = false);
      DELETE FROM settled.problem;
      """)
    try await untilTrue("the statistics") {
      try await owner.execute("SELECT pg_stat_force_next_flush()")
      return try await !ask(database) { try await ServerChecks.deadRows(50, $0) }.isOk
    }
    let found = try await ask(database) { try await ServerChecks.deadRows(50, $0) }
    #expect(found.finding == "settled.problem has 200 dead rows and 0 live ones")
    #expect(found.remedy?.contains("VACUUM (VERBOSE) settled.problem") == true)
  }

  @Test func `the server checks name a standby that commits wait for, and a slot without a reader`() async throws {
    let cluster = try await EmbeddedPostgres.start(
      settings: ["synchronous_standby_names": "nobody", "synchronous_commit": "local", "max_connections": "30"])
    let database = try await SettledDatabase.simulated(in: cluster)
    let standby = try await ask(database) { try await ServerChecks.replication(.max, $0) }
    #expect(!standby.isOk && standby.finding == "commits wait for 1 of: nobody, and only 0 of them confirm")
    let owner = try await database.connect()
    let log = try ScratchDirectory()
    func receive(as name: String) async throws -> SettledProcess {
      let directory = "\(log.path)/\(name)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
      let receiver = try SettledProcess(
        [
          "-c",
          "exec $(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)/pg_receivewal --synchronous -D \"$0\" -d \"$1\"",
          directory, "host=\(cluster.directory) user=postgres application_name=\(name)",
        ], program: "/bin/sh")
      try await untilTrue("the standby \(name)") {
        try await owner.query(
          "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND application_name = \(name))"
        ).one(Bool.self)
      }
      return receiver
    }
    // It receives, but is none of those whom commits wait for.
    let stranger = try await receive(as: "stranger")
    let hidden = try await ask(database) { try await ServerChecks.replication(.max, $0) }
    #expect(hidden.isOk && hidden.finding.contains("this role cannot see which of them confirm"), "\(hidden.finding)")
    try await owner.execute("GRANT pg_read_all_stats TO settled_daemon")
    let seen = try await ask(database) { try await ServerChecks.replication(.max, $0) }
    #expect(!seen.isOk && seen.finding == "commits wait for 1 of: nobody, and only 0 of them confirm")
    let named = try await receive(as: "nobody")
    try await untilTrue("the standby that confirms") {
      try await ask(database) { try await ServerChecks.replication(.max, $0) }.finding
        == "commits wait for 1 of: nobody (2 standbys connected, of which 1 confirm)"
    }
    for receiver in [stranger, named] {
      receiver.terminate()
      _ = try await receiver.exit()
    }
    try await owner.execute("SELECT pg_create_physical_replication_slot('forgotten', true)")
    try await owner.execute("SELECT settled.emit('t', 'k', '{}', settled.clock())")
    let slot = try await ask(database) { try await ServerChecks.slots(0, $0) }
    #expect(!slot.isOk && slot.finding.contains("forgotten"), "\(slot.finding)")
    await owner.close()
    await cluster.stop()
  }

  @Test func `the server checks name a standby that does not apply what it receives`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "30"])
    let database = try await SettledDatabase.simulated(in: cluster)
    let owner = try await database.connect()
    try await owner.execute("GRANT pg_read_all_stats TO settled_daemon")
    let standby = try SettledProcess(
      [
        "-c",
        """
        cd / && bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1) && as=
        user=$(stat -c %U "$0")
        [ "$(id -u)" != 0 ] || as="setpriv --reuid $user --regid $(id -g "$user") --clear-groups --"
        $as "$bin/pg_basebackup" --write-recovery-conf --checkpoint fast -D "$0/standby" \\
          -d "host=$0 user=postgres application_name=sleeper" &&
          exec $as "$bin/postgres" -D "$0/standby" -k "$0/standby" -c listen_addresses=
        """, cluster.directory,
      ], program: "/bin/sh")
    let address = ConnectionOptions(url: "postgresql:///postgres?user=postgres&host=\(cluster.directory)/standby")
    try await untilTrue("the standby (\(standby.errors.text))") {
      await (try Connection.connect(address)).close()
      let applies = try await owner.query(
        "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND application_name = 'sleeper')"
      ).one(Bool.self)
      guard applies else { return false }
      return try await ask(database) { try await ServerChecks.replication(0, $0) }.isOk
    }
    let there = try await Connection.connect(address)
    try await there.execute("SELECT pg_wal_replay_pause()")
    try await untilTrue("the pause") {
      try await there.query("SELECT pg_get_wal_replay_pause_state() = 'paused'").one(Bool.self)
    }
    try await owner.execute("SELECT settled.emit('t', 'k', '{}', settled.clock())")
    try await untilTrue("what is written") {
      try await !ask(database) { try await ServerChecks.replication(0, $0) }.isOk
    }
    let late = try await ask(database) { try await ServerChecks.replication(0, $0) }
    #expect(!late.isOk && late.finding.hasPrefix("the standby sleeper (streaming) has not applied"), "\(late.finding)")
    #expect(try await ask(database) { try await ServerChecks.replication(.max, $0) }.isOk)
    await there.close()
    await owner.close()
    standby.terminate()
    _ = try await standby.exit()
    await cluster.stop()
  }

  @Test func `the server checks name a read-only session of another role while many others write`() async throws {
    let database = try await SettledDatabase.real()
    let (owner, app) = (try await database.connect(), try await database.connect(.app))
    try await app.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    _ = try await app.query("SELECT 1")
    for _ in 0..<12 { try await owner.execute("SELECT pg_current_xact_id()") }
    let found = try await ask(database) { try await ServerChecks.oldTransactions(10, $0) }
    #expect(!found.isOk && found.finding.contains("transactions"), "\(found.finding)")
    try await app.execute("ROLLBACK")
  }
}
