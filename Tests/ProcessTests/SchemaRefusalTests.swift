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

  @Test func `no schema at all: 75, and it names the cure`() async throws {
    let database = try await TestCluster.shared.database()
    let finished = try await SettledProcess.daemon(url: database.url(), node: "refused").finished()
    #expect(finished.exit == .code(75))
    #expect(finished.errors.contains("run settled migrate"))
  }

  @Test func `an older schema: 75, and it names the cure`() async throws {
    let finished = try await run(
      after: "DELETE FROM settled.migration WHERE number = (SELECT max(number) FROM settled.migration)")
    #expect(finished.exit == .code(75))
    #expect(finished.errors.contains("run settled migrate"))
  }

  @Test func `older functions: 75, and it names the cure`() async throws {
    let finished = try await run(after: "UPDATE settled.function_script SET checksum = 'another'")
    #expect(finished.exit == .code(75))
    #expect(finished.errors.contains("run settled migrate"))
  }

  @Test func `functions of a later release are worked with, and it says what to do`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.execute("UPDATE settled.function_script SET checksum = 'another', release = release + 1")
    let daemon = try SettledProcess.daemon(database, node: "newer")
    try await daemon.log("newer than this program, which works with it: upgrade the program")
    try await daemon.log("ready")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }

  @Test func `an edited migration: 70, and it names the file`() async throws {
    let finished = try await run(after: "UPDATE settled.migration SET checksum = 'another' WHERE number = 1")
    #expect(finished.exit == .code(70))
    #expect(finished.errors.contains("0001-settled.sql"))
  }

  @Test func `a newer schema that breaks: 57`() async throws {
    let finished = try await run(
      after: "INSERT INTO settled.migration (number, name, checksum, breaking) VALUES (9999, 'later', '', true)")
    #expect(finished.exit == .code(57))
    #expect(finished.errors.contains("newer"))
  }

  @Test func `a newer schema that does not break is worked with`() async throws {
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

  @Test func `a schema that changed while the daemon ran is noticed when it connects again`() async throws {
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
