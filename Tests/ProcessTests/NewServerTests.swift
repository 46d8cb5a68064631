import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// The steps of Engine.docc/Restores.md, "A dump on a new server", as the page prints them.
@Suite("A dump on a new server", .timeLimit(.minutes(5))) struct NewServerTests {
  /// The page's lines for a shell: of the old server, and of the new one.
  private static func steps() throws -> [String] {
    let page = try Checkout.text("Sources/Engine/Engine.docc/Restores.md")
    let section = try #require(page.components(separatedBy: "## A dump on a new server\n").last)
      .components(separatedBy: "\n## ")[0]
    return section.matches(of: /```sh\n(?<lines>(?:.*\n)*?)```/).map { String($0.output.lines) }
  }

  private static func run(_ lines: String, on cluster: EmbeddedPostgres, in directory: String) async throws -> Finished
  {
    let programs = SettledProcess.built("settled").split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    let script = """
      set -e
      cd '\(directory)'
      PATH='\(programs)':"$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)":$PATH
      export PATH PGHOST='\(cluster.directory)' PGUSER=postgres
      \(lines)
      """
    return try await SettledProcess(["-c", script], program: "/bin/sh").finished()
  }

  @Test func `roles, dump, migration and rights bring a database to another server as the page says`() async throws {
    let steps = try Self.steps()
    try #require(steps.count == 2)
    let directory = try ScratchDirectory()
    let settings = ["fsync": "off"]
    let old = try await EmbeddedPostgres.start(settings: settings)
    let oldAdministrator = try await Connection.connect(ConnectionOptions(url: old.url(), applicationName: "tests"))
    try await oldAdministrator.execute("CREATE DATABASE settled")
    let made = try await SettledProcess.run(["migrate", "--database-url", old.url(database: "settled")])
    try #require(made.exit == .code(0), "\(made.errors)")
    try await oldAdministrator.script("CREATE ROLE my_app LOGIN IN ROLE settled_app")
    await oldAdministrator.close()
    let app = try await Connection.connect(
      ConnectionOptions(url: old.url(database: "settled", user: "my_app"), applicationName: "tests"))
    let athlete = try await app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    _ = try await app.query("SELECT racing.deposit(\(athlete), 500, 'one')")
    await app.close()
    let dumped = try await Self.run(steps[0], on: old, in: directory.path)
    #expect(dumped.exit == .code(0), "\(dumped.errors)")
    await old.stop()

    let new = try await EmbeddedPostgres.start(settings: settings)
    let restored = try await Self.run(steps[1], on: new, in: directory.path)
    #expect(restored.exit == .code(0), "\(restored.errors)")
    let errors = restored.errors.split(separator: "\n").filter { $0.contains("ERROR") }
    #expect(errors.allSatisfy { $0.contains("role \"postgres\" already exists") }, "\(errors)")

    let checked = try await SettledProcess.run(
      ["check-config"], ["SETTLED_DATABASE_URL": new.url(database: "settled", user: "settled_daemon")])
    #expect(checked.exit == .code(0) && checked.errors.isEmpty, "\(checked.errors)")
    let again = try await Connection.connect(
      ConnectionOptions(url: new.url(database: "settled", user: "my_app"), applicationName: "tests"))
    _ = try await again.query("SELECT racing.deposit(\(athlete), 500, 'one')")
    _ = try await again.query("SELECT racing.deposit(\(athlete), 200, 'two')")
    let balance = try await again.query("SELECT (racing.wallet(\(athlete))->>'balancePence')::bigint").one(Int64.self)
    #expect(balance == 700)
    await #expect(throws: PostgresError.self) { try await again.query("SELECT count(*) FROM racing.wallet") }
    await again.close()
    let administrator = try await Connection.connect(
      ConnectionOptions(url: new.url(database: "settled"), applicationName: "tests"))
    let differences = try await administrator.query("SELECT racing.verify_ledger() ->> 'differences'").one(String.self)
    #expect(differences == "[]")
    try await administrator.script("CREATE ROLE stranger LOGIN")
    await administrator.close()
    await #expect(throws: PostgresError.self) {
      try await Connection.connect(
        ConnectionOptions(url: new.url(database: "settled", user: "stranger"), applicationName: "tests"))
    }
    await new.stop()
  }
}
