import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

@Suite("A daemon and a schema that is not its own") struct SchemaRefusalTests {
  /// Runs a daemon on a migrated database after a statement of its owner.
  private func run(after change: Statement) async throws -> Finished {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.execute(change)
    return try await SettledProcess.daemon(database, node: "refused").finished()
  }

  @Test func `a database without a schema ends the daemon with 75 and the remedy`() async throws {
    let database = try await TestCluster.shared.database()
    let finished = try await SettledProcess.daemon(url: database.url(), node: "refused").finished()
    #expect(finished.exit == .code(75))
    #expect(finished.errors.contains("run settled migrate"))
  }

  @Test func `a database that is not in UTF8 ends the daemon and its migration with 78`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await administrator.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    await administrator.close()
    let url = cluster.url(database: "latin")
    let finished = [
      try await SettledProcess.daemon(url: url, node: "refused").finished(),
      try await SettledProcess.run(["migrate", "--database-url", url]),
    ]
    for each in finished {
      #expect(each.exit == .code(78) && each.errors.contains("uses LATIN1, not UTF8"), "\(each.errors)")
    }
    await cluster.stop()
  }

  @Test func `a database whose sessions fire no trigger ends the daemon and its migration with 78`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$"
    )
    let finished = [
      try await SettledProcess.daemon(database, node: "refused").finished(),
      try await SettledProcess.run(["migrate", "--database-url", database.url(.owner)]),
    ]
    for each in finished {
      #expect(each.exit == .code(78) && each.errors.contains("session_replication_role is replica"), "\(each.errors)")
    }
  }

  @Test func `an older schema ends the daemon with 75 and the remedy`() async throws {
    let finished = try await run(
      after: "DELETE FROM settled.migration WHERE number = (SELECT max(number) FROM settled.migration)")
    #expect(finished.exit == .code(75))
    #expect(finished.errors.contains("run settled migrate"))
  }

  @Test func `older functions end the daemon with 75 and the remedy`() async throws {
    let finished = try await run(after: "UPDATE settled.function_script SET checksum = 'another'")
    #expect(finished.exit == .code(75))
    #expect(finished.errors.contains("run settled migrate"))
  }

  @Test func `a daemon works with functions of a later release, and logs a recommendation`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.execute("UPDATE settled.function_script SET checksum = 'another', release = release + 1")
    let daemon = try SettledProcess.daemon(database, node: "newer")
    try await daemon.log("newer than this program, but compatible with it: upgrade the program")
    try await daemon.log("ready")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test func `an edited migration ends the daemon with 70 and the file's name`() async throws {
    let finished = try await run(after: "UPDATE settled.migration SET checksum = 'another' WHERE number = 1")
    #expect(finished.exit == .code(70))
    #expect(finished.errors.contains("0001-settled.sql"))
  }

  @Test func `a newer schema that breaks ends the daemon with 57`() async throws {
    let finished = try await run(
      after: "INSERT INTO settled.migration (number, name, checksum, breaking) VALUES (9999, 'later', '', true)")
    #expect(finished.exit == .code(57))
    #expect(finished.errors.contains("newer"))
  }

  @Test func `a daemon works with a newer schema that does not break`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.execute(
      "INSERT INTO settled.migration (number, name, checksum, breaking) VALUES (9999, 'later', '', false)")
    let races = try await Herd(races: 3, entries: 4).write(owner)
    let daemon = try SettledProcess.daemon(database, node: "newer")
    try await owner.waitUntilSettled(races)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test func `a schema that changed under a daemon is noticed when it connects again`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemon = try SettledProcess.daemon(database, node: "changed")
    try await daemon.log("ready")
    try await owner.execute(
      "INSERT INTO settled.migration (number, name, checksum, breaking) VALUES (9999, 'later', '', true)")
    try await owner.endSessions(of: "settled")
    #expect(try await daemon.exit() == .code(57))
  }
}
