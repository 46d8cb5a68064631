package import EmbeddedPostgres
package import Postgres

/// The one private cluster of a test process, started when first wanted; it ends with the process.
package actor TestCluster {
  package static let shared = TestCluster()

  private var start: Task<EmbeddedPostgres, any Error>?
  private var templates: [String: Task<Void, any Error>] = [:]
  private var count = 0

  /// Databases that no test holds any more, oldest first.
  private var abandoned: [String] = []

  /// So many stay, because a test may still connect with options that it copied.
  private static let abandonedKept = 20

  private init() {}

  /// The running cluster. Durability is off: what a crash leaves is nothing that a test may look at.
  package func cluster() async throws -> EmbeddedPostgres {
    if let start { return try await start.value }
    let task = Task { try await EmbeddedPostgres.start(settings: Self.settings) }
    start = task
    return try await task.value
  }

  package static let settings = [
    "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_connections": "200",
    "shared_buffers": "64MB", "autovacuum": "off", "wal_level": "minimal", "max_wal_senders": "0",
  ]

  /// A database of its own, a copy of `template` if one is named.
  package func database(template: String? = nil) async throws -> TestDatabase {
    let cluster = try await cluster()
    try await dropAbandoned()
    count += 1
    let name = "test_\(count)"
    let source = template ?? "template0"
    try await administer(
      "CREATE DATABASE \(raw: name.quotedIdentifier) TEMPLATE \(raw: source.quotedIdentifier) STRATEGY wal_log")
    return TestDatabase(name: name, cluster: cluster)
  }

  /// A database that is made once per process and then only copied; concurrent callers wait for the first.
  ///
  /// `prepare` must close its connections before it returns.
  package func template(
    named name: String, prepare: @escaping @Sendable (TestDatabase) async throws -> Void
  ) async throws {
    if let made = templates[name] { return try await made.value }
    let task = Task {
      let database = TestDatabase(name: name, cluster: try await cluster())
      try await administer("CREATE DATABASE \(raw: name.quotedIdentifier) TEMPLATE template0")
      try await prepare(database)
    }
    templates[name] = task
    try await task.value
  }

  func abandon(_ name: String) {
    if templates[name] == nil { abandoned.append(name) }
  }

  /// Drops the oldest ones that nobody is connected to.
  private func dropAbandoned() async throws {
    let names = abandoned.dropLast(Self.abandonedKept)
    guard !names.isEmpty else { return }
    abandoned.removeFirst(names.count)
    for name in names {
      do { try await administer("DROP DATABASE \(raw: name.quotedIdentifier)") } catch { abandoned.append(name) }
    }
  }

  /// Runs a statement as superuser in the database `postgres`.
  package func administer(_ statement: Statement) async throws {
    var options = ConnectionOptions(url: try await cluster().url(), applicationName: "tests")
    options.statementTimeout = .zero
    let connection = try await Connection.connect(options)
    try await connection.execute(statement)
    await connection.close()
  }
}
