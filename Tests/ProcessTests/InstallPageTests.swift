import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// The SQL of the page on installing the service, run as printed.
@Suite("The steps of an installation") struct InstallPageTests {
  private static func blocks() throws -> [String] {
    try RulePage("Daemon.docc/InstallingTheService.md").text.matches(of: /```sql\n(?<sql>(?:.*\n)*?) *```/).map {
      String($0.output.sql)
    }
  }

  @Test func `roles made by hand, a migration without roles and an app's login work as the page prints them`()
    async throws
  {
    let blocks = try Self.blocks()
    try #require(blocks.count == 2)
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off"])
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "tests"))
    try await administrator.execute("CREATE DATABASE settled")
    try await administrator.script(blocks[0])
    let migrated = try await SettledProcess.run(
      ["migrate", "--no-roles", "--database-url", cluster.url(database: "settled", user: "my_deployer")])
    #expect(migrated.exit == .code(0), "\(migrated.errors)")
    try await administrator.script(blocks[1])
    await administrator.close()

    let checked = try await SettledProcess.run(
      ["check-config"], ["SETTLED_DATABASE_URL": cluster.url(database: "settled", user: "settled_daemon")])
    #expect(checked.exit == .code(0) && checked.errors.isEmpty, "\(checked.errors)")
    let app = try await Connection.connect(
      ConnectionOptions(url: cluster.url(database: "settled", user: "my_app"), applicationName: "tests"))
    #expect(try await app.query("SELECT racing.create_athlete('Ann')").one(Int64.self) == 1)
    await app.close()
    await cluster.stop()
  }
}
