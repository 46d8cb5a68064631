package import EmbeddedPostgres
import Foundation
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

  /// Longer than the daemon's: hundreds of tests connect at once, on a machine that may be busy.
  static let connectTimeout = Duration.seconds(60)

  private init() {}

  /// The running cluster. Durability is off: what a crash leaves is nothing that a test may look at.
  package func cluster() async throws -> EmbeddedPostgres {
    if let start { return try await start.value }
    let task = Task { try await EmbeddedPostgres.start(settings: Self.settings, directory: Self.directoryInMemory) }
    start = task
    return try await task.value
  }

  package static let settings = [
    "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_connections": "600",
    "shared_buffers": "64MB", "autovacuum": "off", "wal_level": "minimal", "max_wal_senders": "0",
  ]

  /// A new directory in memory; nil on a machine without room for it.
  ///
  /// A database has 900 files. On ext4 a new file avoids the inodes of files deleted in the last five seconds, and that
  /// search took 40 % of the processors (measured).
  private static var directoryInMemory: String? {
    let shared = "/dev/shm"
    let gigabyte = 1 << 30
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: shared)
    let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    let memory = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)
    let available = memory?.firstMatch(of: /MemAvailable: +([0-9]+) kB/).flatMap { Int($0.1) } ?? 0
    guard free >= 8 * gigabyte, available * 1024 >= 12 * gigabyte, access(shared, W_OK) == 0 else { return nil }
    return "\(shared)/settled-pg.\(String(UInt32.random(in: 0 ... .max), radix: 36))"
  }

  /// A database of its own, a copy of `template` if one is named.
  ///
  /// Copied as files, because without fsync that takes 40 ms, and through the log 95 ms (measured).
  package func database(template: String? = nil) async throws -> TestDatabase {
    let cluster = try await cluster()
    try await dropAbandoned()
    count += 1
    let name = "test_\(count)"
    let source = template ?? "template0"
    try await administer(
      "CREATE DATABASE \(raw: name.quotedIdentifier) TEMPLATE \(raw: source.quotedIdentifier) STRATEGY file_copy")
    return TestDatabase(name: name, cluster: cluster)
  }

  /// A database that is made once per process and then only copied; concurrent callers wait for the first.
  ///
  /// `prepare` must close its connections before it returns.
  package func template(
    named name: String, from source: String = "template0",
    prepare: @escaping @Sendable (TestDatabase) async throws -> Void
  ) async throws {
    if let made = templates[name] { return try await made.value }
    let task = Task {
      let database = TestDatabase(name: name, cluster: try await cluster())
      try await administer("CREATE DATABASE \(raw: name.quotedIdentifier) TEMPLATE \(raw: source.quotedIdentifier)")
      try await prepare(database)
    }
    templates[name] = task
    try await task.value
  }

  func abandon(_ name: String) {
    if templates[name] == nil { abandoned.append(name) }
  }

  /// Drops the oldest ones that nobody is connected to; the server would wait 5 s for the others.
  private func dropAbandoned() async throws {
    let names = Array(abandoned.dropLast(Self.abandonedKept))
    guard !names.isEmpty else { return }
    abandoned.removeFirst(names.count)
    let connection = try await connect()
    let idle = try await connection.query(
      """
      SELECT datname::text FROM pg_database
      WHERE datname = ANY(\(names)) AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = pg_database.datname)
      """
    ).decode(String.self)
    for name in idle { try await connection.execute("DROP DATABASE \(raw: name.quotedIdentifier)") }
    await connection.close()
    abandoned += names.filter { !idle.contains($0) }
  }

  /// Runs a statement as superuser in the database `postgres`.
  package func administer(_ statement: Statement) async throws {
    let connection = try await connect()
    try await connection.execute(statement)
    await connection.close()
  }

  private func connect() async throws -> Connection {
    var options = ConnectionOptions(url: try await cluster().url(), applicationName: "tests")
    options.statementTimeout = .zero
    options.connectTimeout = Self.connectTimeout
    return try await Connection.connect(options)
  }
}
