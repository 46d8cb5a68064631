import Engine
package import EmbeddedPostgres
import Postgres

extension SettledDatabase {
  /// A database whose clock stands until the test sets it, in a cluster that the test may stop, crash and start.
  package static func simulated(in cluster: EmbeddedPostgres) async throws -> SettledDatabase {
    try await made(in: cluster) { _ = try await Migrator(simulatesClock: true).migrate($0.options) }
  }

  /// A database that `migrate` brings to its schema, in such a cluster.
  package static func made(
    in cluster: EmbeddedPostgres, migrate: (TestDatabase) async throws -> Void
  ) async throws -> SettledDatabase {
    let database = TestDatabase(name: "in_own_cluster", cluster: cluster)
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "tests"))
    try await administrator.execute("CREATE DATABASE \(raw: database.name.quotedIdentifier)")
    await administrator.close()
    try await migrate(database)
    let owner = try await database.connect()
    try await makeApp(owner)
    await owner.close()
    return SettledDatabase(database: database)
  }
}
