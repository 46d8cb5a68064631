import Engine
package import EmbeddedPostgres
import Postgres

extension SettledDatabase {
  /// A database whose clock stands until the test sets it, in a cluster that the test may stop, crash and start.
  package static func simulated(in cluster: EmbeddedPostgres) async throws -> SettledDatabase {
    let database = TestDatabase(name: "in_own_cluster", cluster: cluster)
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "tests"))
    try await administrator.execute("CREATE DATABASE \(raw: database.name.quotedIdentifier)")
    await administrator.close()
    _ = try await Migrator(simulatesClock: true).migrate(database.options)
    let owner = try await database.connect()
    try await makeApp(owner)
    await owner.close()
    return SettledDatabase(database: database)
  }
}
