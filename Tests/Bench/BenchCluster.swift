import Engine
import EmbeddedPostgres
import Postgres
import TestSupport

/// A private cluster with durability on, and databases in it that are copied from one another.
struct BenchCluster: Sendable {
  private let cluster: EmbeddedPostgres

  /// As a small production server is set: everything durable. `track_commit_timestamp` and `pg_stat_statements` are
  /// there to measure, and cost both sides the same.
  private static let settings = [
    "fsync": "on", "max_connections": "700", "synchronous_commit": "on", "full_page_writes": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "4GB", "checkpoint_timeout": "30min", "random_page_cost": "1.1", "track_commit_timestamp": "on",
    "track_wal_io_timing": "on", "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track_planning": "on",
  ]

  /// A cluster for as long as `body` takes, with pg_cron if `hasCron`.
  static func with(
    autovacuum: Bool = true, hasCron: Bool = false, _ body: (BenchCluster) async throws -> Report
  ) async throws -> Report {
    var settings = Self.settings.merging(["autovacuum": autovacuum ? "on" : "off"]) { $1 }
    if hasCron { settings.merge(PgCron.settings) { "\($0),\($1)" } }
    let cluster = try await EmbeddedPostgres.start(settings: settings)
    do {
      var report = try await body(BenchCluster(cluster: cluster))
      let connection = try await Connection.connect(ConnectionOptions(url: cluster.url()))
      report.server = "PostgreSQL " + (try await connection.query("SHOW server_version").one(String.self))
      await connection.close()
      await cluster.stop()
      return report
    } catch {
      await cluster.stop()
      throw error
    }
  }

  /// The directory of its socket.
  var directory: String { cluster.directory }

  func url(_ database: String, user: String = "postgres") -> String {
    cluster.url(database: database, user: user)
  }

  func connect(
    _ database: String, user: String = "postgres", application: String = "settled-bench"
  ) async throws -> Connection {
    var options = ConnectionOptions(url: url(database, user: user), applicationName: application)
    options.statementTimeout = .zero
    options.idleInTransactionTimeout = .zero
    options.settings["timezone"] = "UTC"
    options.settings["search_path"] = "public"
    options.settings["jit"] = "off"
    return try await Connection.connect(options)
  }

  /// A new migrated database with a real clock, and a login for the app.
  func make(_ database: String) async throws {
    try await administer("DROP DATABASE IF EXISTS \(raw: database) WITH (FORCE)")
    try await administer("CREATE DATABASE \(raw: database) TEMPLATE template0")
    _ = try await Migrator().migrate(ConnectionOptions(url: url(database)))
    let owner = try await connect(database)
    try await owner.script(
      """
      CREATE EXTENSION pg_stat_statements;
      DO $$ BEGIN
        CREATE ROLE bench_app LOGIN IN ROLE settled_app;
      EXCEPTION WHEN duplicate_object THEN NULL;
      END $$
      """)
    await owner.close()
  }

  /// A copy that nobody has touched yet.
  func copy(_ database: String, from template: String) async throws {
    try await administer("DROP DATABASE IF EXISTS \(raw: database) WITH (FORCE)")
    try await administer("CREATE DATABASE \(raw: database) TEMPLATE \(raw: template) STRATEGY file_copy")
  }

  /// A daemon that has met the database and rests.
  func daemon(
    on database: String, seenBy owner: Connection, _ environment: [String: String] = [:]
  ) async throws -> SettledProcess {
    let daemon = try SettledProcess(
      ["run"],
      environment.merging(["SETTLED_DATABASE_URL": url(database, user: "settled_daemon"), "SETTLED_NODE": "bench"]) {
        $1
      })
    try await untilTrue("the daemon's first rest") {
      guard daemon.isRunning else { throw BenchError("the daemon ended at its start: \(daemon.errors.text)") }
      return try await owner.query("SELECT EXISTS (SELECT FROM settled.node WHERE needs_notify)").one(Bool.self)
    }
    return daemon
  }

  private func administer(_ statement: Statement) async throws {
    let connection = try await connect("postgres")
    try await connection.execute(statement)
    await connection.close()
  }
}

extension SettledProcess {
  /// Stops it, and fails if it does not end well.
  func end() async throws {
    terminate()
    guard try await exit() == .code(0) else { throw BenchError("the daemon failed: \(errors.text)") }
  }
}
