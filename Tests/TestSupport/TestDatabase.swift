internal import EmbeddedPostgres
package import Postgres

/// A database that belongs to one test; dropped, if that is possible, when the test lets go of it.
package final class TestDatabase: Sendable {
  package let name: String
  private let cluster: EmbeddedPostgres

  init(name: String, cluster: EmbeddedPostgres) {
    self.name = name
    self.cluster = cluster
  }

  package func url(user: String = "postgres") -> String {
    cluster.url(database: name, user: user)
  }

  package var options: ConnectionOptions {
    ConnectionOptions(url: url(), applicationName: "tests")
  }

  package func connect() async throws -> Connection {
    try await Connection.connect(options)
  }

  deinit {
    guard name.hasPrefix("test_") else { return }
    let name = name
    Task { try? await TestCluster.shared.administer("DROP DATABASE \(raw: name.quotedIdentifier) WITH (FORCE)") }
  }
}
