internal import EmbeddedPostgres
package import Postgres

/// A database that belongs to one test; dropped some time after the test has let go of it and of its connections.
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

  /// Tests keep their own tables in `public`.
  package var options: ConnectionOptions {
    var options = ConnectionOptions(url: url(), applicationName: "tests")
    options.connectTimeout = TestCluster.connectTimeout
    options.settings["search_path"] = "public"
    return options
  }

  package func connect() async throws -> Connection {
    try await Connection.connect(options)
  }

  deinit {
    let name = name
    Task { await TestCluster.shared.abandon(name) }
  }
}
