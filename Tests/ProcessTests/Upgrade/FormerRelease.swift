import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport

/// The programs of the former release, which `deploy/soak upgrade` has built.
enum FormerRelease {
  /// The directory that has them.
  static let directory = ProcessInfo.processInfo.environment["SETTLED_FORMER_BIN"]

  static func program(_ name: String) -> String { "\(directory ?? "")/\(name)" }

  /// A cluster with a database of its schema.
  static func database() async throws -> (EmbeddedPostgres, SettledDatabase) {
    let cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "200", "fsync": "off"])
    let database = try await SettledDatabase.made(in: cluster) { database in
      let migrated = try await SettledProcess(
        ["migrate", "--database-url", database.url()], program: program("settled")
      ).finished()
      guard migrated.exit == .code(0) else { throw TimeLimitError(description: "not migrated: \(migrated.errors)") }
    }
    return (cluster, database)
  }

  /// The programs of which a node is made.
  enum Age { case former, new }
}
