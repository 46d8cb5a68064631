import Engine
package import Postgres

/// A migrated database of its own for one test, and ways into it as each role.
package struct SettledDatabase: Sendable {
  package enum Role: String, Sendable {
    case owner = "postgres"
    case daemon = "settled_daemon"
    /// A login that is a member of `settled_app` and nothing else.
    case app = "test_app"
    case gateway = "settled_gateway"
  }

  package let database: TestDatabase

  /// A database that somebody has migrated.
  package init(database: TestDatabase) {
    self.database = database
  }

  /// A database whose clock stands until the test sets it.
  package static func simulated() async throws -> SettledDatabase {
    try await copy(of: "settled_simulated", simulatesClock: true)
  }

  /// A database with a real clock.
  package static func real() async throws -> SettledDatabase {
    try await copy(of: "settled_real", simulatesClock: false)
  }

  private static func copy(of template: String, simulatesClock: Bool) async throws -> SettledDatabase {
    try await make(template, simulatesClock: simulatesClock)
    return SettledDatabase(database: try await TestCluster.shared.database(template: template))
  }

  /// Migrates the template once in this process.
  static func make(_ template: String, simulatesClock: Bool) async throws {
    try await TestCluster.shared.template(named: template) { database in
      _ = try await Migrator(simulatesClock: simulatesClock).migrate(database.options)
      let connection = try await database.connect()
      try await makeApp(connection)
      await connection.close()
    }
  }

  /// The login of `Role.app`.
  static func makeApp(_ owner: Connection) async throws {
    try await owner.script(
      """
      DO $$ BEGIN
        CREATE ROLE test_app LOGIN IN ROLE settled_app;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$
      """)
  }

  package func url(_ role: Role) -> String {
    database.url(user: role.rawValue)
  }

  package func options(_ role: Role) -> ConnectionOptions {
    var options = ConnectionOptions(url: url(role), applicationName: "tests \(role)")
    if role != .daemon { options.settings["search_path"] = "public" }
    options.connectTimeout = TestCluster.connectTimeout
    return options
  }

  /// A connection that the caller closes, or that ends with its last reference.
  package func connect(_ role: Role = .owner) async throws -> Connection {
    try await Connection.connect(options(role))
  }

  package func pool(_ role: Role = .daemon, size: Int = 6) -> Pool {
    Pool(options: options(role), size: size, waitTimeout: .seconds(20), maximumWaiters: 100)
  }

  /// Sets the simulated clock: `2031-03-30T23:00:00Z`.
  package func setClock(_ instant: String, running: Bool = false) async throws {
    let owner = try await connect()
    try await owner.execute("SELECT settled.set_clock(\(instant)::text::timestamptz, \(running))")
    await owner.close()
  }
}
