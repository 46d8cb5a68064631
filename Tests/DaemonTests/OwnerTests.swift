import Engine
import Operations
import EmbeddedPostgres
import Postgres
import Schema
import DaemonSupport
import TestSupport
import Testing

@Suite("The owner of the schema") struct OwnerTests {
  /// Owners of everything in the product's schemas.
  private static let owners: Statement = """
    SELECT DISTINCT o.owner::regrole::text FROM (
      SELECT n.oid AS schema, n.nspowner AS owner FROM pg_namespace AS n
      UNION ALL SELECT c.relnamespace, c.relowner FROM pg_class AS c
      UNION ALL SELECT p.pronamespace, p.proowner FROM pg_proc AS p
      UNION ALL SELECT t.typnamespace, t.typowner FROM pg_type AS t) AS o
    WHERE o.schema IN (SELECT n.oid FROM pg_namespace AS n WHERE n.nspname !~ '^(pg_|information_schema$|public$)')
    """

  private static func finding(_ name: String, _ database: TestDatabase) async throws -> Check.Finding {
    let check = try #require(EngineChecks.checks.first { $0.name == name })
    return try await database.connect().transaction(readOnly: true) { try await check.run($0) }
  }

  @Test func `the schema's owner is a role without login, even after a superuser migrated`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let session = try await database.connect()
    #expect(try await session.query(Self.owners).decode(String.self) == ["settled_owner"])
    let role = try await session.query(
      "SELECT rolcanlogin, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = 'settled_owner'"
    ).one(Bool.self, Bool.self, Bool.self)
    #expect(role == (false, false, false))
    #expect(try await Self.finding("owner", database).isOk)
  }

  @Test func `the owner role takes over objects of a superuser, as doctor advises, while the daemon works`()
    async throws
  {
    let database = try await TestCluster.shared.database()
    _ = try await Migrator(simulatesClock: true).migrate(database.options)
    let session = try await database.connect()
    try await session.execute("REASSIGN OWNED BY settled_owner TO postgres")
    let finding = try await Self.finding("owner", database)
    #expect(!finding.isOk && finding.remedy?.contains("settled migrate") == true)
    #expect(try await database.migrate() == Migrator.Report(isSimulated: true))
    #expect(try await session.query(Self.owners).decode(String.self) == ["settled_owner"])
    let node = TestNode(SettledDatabase(database: database))
    try await node.untilAsleep()
    try await node.stop()
    #expect(try await session.query("SELECT count(*) > 0 FROM racing.race").one(Bool.self))
  }

  @Test func `doctor reports a database that PUBLIC may connect to`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let finding = try await Self.finding("database rights", database)
    #expect(!finding.isOk && finding.remedy?.contains("FROM PUBLIC") == true)
    try await database.connect().execute("REVOKE ALL ON DATABASE \(raw: database.name) FROM PUBLIC")
    #expect(try await Self.finding("database rights", database).isOk)
  }

  @Test func `members of the owner role may migrate, and need not be superusers`() async throws {
    let database = try await TestCluster.shared.database()
    let session = try await database.connect()
    try await session.script(
      """
      DO $$ BEGIN CREATE ROLE settled_owner; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
      CREATE ROLE deployer LOGIN; CREATE ROLE outsider LOGIN;
      """)
    func migrate(as user: String) async throws -> Migrator.Report {
      try await Migrator(makesRoles: false).migrate(ConnectionOptions(url: database.url(user: user)))
    }
    let outside = await #expect(throws: EngineError.self) { _ = try await migrate(as: "outsider") }
    #expect(outside?.code == .notAllowed)
    #expect(outside?.description.contains("--database-url URL") == true)
    try await session.execute("GRANT settled_owner TO deployer")
    let helpless = await #expect(throws: EngineError.self) { _ = try await migrate(as: "deployer") }
    #expect(helpless?.description.contains("GRANT CREATE ON DATABASE \(database.name) TO settled_owner") == true)
    try await session.execute("GRANT CREATE ON DATABASE \(raw: database.name) TO settled_owner")
    #expect(try await migrate(as: "deployer").functionsChanged)
    #expect(try await session.query(Self.owners).decode(String.self) == ["settled_owner"])
    try await session.script("REVOKE settled_owner FROM deployer; DROP ROLE outsider, deployer")
  }

  /// A database owner who made the schema first would otherwise run a trigger as the superuser who migrates.
  @Test(arguments: ["settled", "racing", "checkins", "seasons", "achievements", "accounts", "gateway"])
  func `a schema that another role made before is refused, and nothing in it runs`(schema: String)
    async throws
  {
    let database = try await TestCluster.shared.database()
    let session = try await database.connect()
    let conflict = "stranger_\(schema)"
    try await session.script(
      """
      CREATE ROLE \(conflict);
      ALTER DATABASE \(database.name) OWNER TO \(conflict);
      SET ROLE \(conflict);
      CREATE SCHEMA \(schema);
      CREATE TABLE \(schema).migration (number integer PRIMARY KEY, name text, checksum text, breaking boolean,
        applied_at timestamptz DEFAULT clock_timestamp());
      CREATE TABLE \(schema).function_script (only_row boolean PRIMARY KEY DEFAULT true, checksum text, roles text,
        applied_at timestamptz);
      CREATE FUNCTION \(schema).seize() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        ALTER ROLE \(conflict) SUPERUSER; RETURN NEW; END $f$;
      CREATE TRIGGER seize BEFORE INSERT ON \(schema).migration FOR EACH ROW EXECUTE FUNCTION \(schema).seize();
      RESET ROLE;
      """)
    let error = await #expect(throws: EngineError.self) { _ = try await database.migrate() }
    #expect(error?.code == .notOurs)
    #expect(error?.description.hasPrefix("the schema \(schema) belongs to \(conflict), not to settled_owner") == true)
    let state: Statement = """
      SELECT rolsuper, (SELECT count(*) FROM pg_namespace WHERE nspname = ANY (\(Schema.schemas)))
      FROM pg_roles WHERE rolname = \(conflict)
      """
    let (isSuperuser, schemas) = try await session.query(state).one(Bool.self, Int64.self)
    #expect(!isSuperuser && schemas == 1)
  }

  /// A trigger of the assumed role's could go back to the rights of the superuser who logged in.
  @Test func `the owner role is not one that the database's settings impose on all sessions`() async throws {
    // In a cluster of its own there is no role settled_owner yet.
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let superuser = ConnectionOptions(url: cluster.url())
    let session = try await Connection.connect(superuser)
    try await session.script("CREATE ROLE sly; ALTER DATABASE postgres OWNER TO sly")
    try await session.script(
      """
      SET ROLE sly;
      ALTER DATABASE postgres SET role = 'sly';
      CREATE SCHEMA settled;
      CREATE TABLE settled.migration (number integer PRIMARY KEY, name text, checksum text, breaking boolean,
        applied_at timestamptz DEFAULT clock_timestamp());
      CREATE TABLE settled.function_script (only_row boolean PRIMARY KEY DEFAULT true, checksum text, roles text,
        applied_at timestamptz);
      CREATE FUNCTION settled.seize() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        RESET ROLE; SET ROLE NONE; ALTER ROLE sly SUPERUSER; RETURN NEW; END $f$;
      CREATE TRIGGER seize BEFORE INSERT ON settled.migration FOR EACH ROW EXECUTE FUNCTION settled.seize();
      RESET ROLE;
      """)
    let error = await #expect(throws: (any Error).self) {
      _ = try await Migrator(makesRoles: false).migrate(superuser)
    }
    #expect((error as? EngineError)?.code == .notOurs, "\(error.map { "\($0)" } ?? "migrated")")
    let isSuperuser: Statement = "SELECT rolsuper FROM pg_roles WHERE rolname = 'sly'"
    #expect(try await !session.query(isSuperuser).one(Bool.self))
    await session.close()
    await cluster.stop()
  }

  /// The owner of the database lets `migrate` wait, and makes the schema meanwhile.
  @Test func `a schema that another role makes while migrate waits is refused`()
    async throws
  {
    let database = try await TestCluster.shared.database()
    let session = try await database.connect()
    try await session.script(
      """
      CREATE ROLE late_stranger; CREATE ROLE late_friend;
      ALTER DATABASE \(database.name) OWNER TO late_stranger;
      """)
    let first = try await database.connect()
    try await first.script(
      "SET ROLE late_stranger; BEGIN; GRANT CONNECT ON DATABASE \(database.name) TO PUBLIC")
    let migrating = Task { try await database.migrate() }
    try await session.untilBlocked(by: first.backendPID)
    try await session.script(
      """
      SET ROLE late_stranger; CREATE SCHEMA settled; GRANT CREATE, USAGE ON SCHEMA settled TO late_friend; RESET ROLE;
      """)
    try await first.script("ROLLBACK")
    let error = await #expect(throws: EngineError.self) { _ = try await migrating.value }
    #expect(error?.code == .notOurs)
    let owner: Statement = "SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'settled'"
    #expect(try await session.query(owner).one(String.self) == "late_stranger")
    // Nor where the schema is taken over by hand and the right to create stays.
    try await session.script("ALTER SCHEMA settled OWNER TO settled_owner")
    let again = await #expect(throws: EngineError.self) { _ = try await database.migrate() }
    #expect(again?.description.contains("late_friend can create objects in the schema settled") == true)
    try await session.script("REVOKE CREATE ON SCHEMA settled FROM late_friend")
    _ = try await database.migrate()
    let usable: Statement = "SELECT has_schema_privilege('late_friend', 'settled', 'USAGE')"
    #expect(try await !session.query(usable).one(Bool.self))
  }

  @Test func `a table that another role put into a schema of the product is refused`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let session = try await database.connect()
    try await session.script("CREATE TABLE racing.sly (a int); ALTER TABLE racing.sly OWNER TO settled_daemon")
    let error = await #expect(throws: EngineError.self) { _ = try await database.migrate() }
    #expect(error?.code == .notOurs && error?.description.contains("racing.sly belongs to settled_daemon") == true)
  }

  @Test func `a migration waits for no foreign advisory lock, and names the holder of its table's lock`() async throws {
    let database = try await TestCluster.shared.database()
    let conflict = try await database.connect()
    try await conflict.execute("SELECT pg_advisory_lock(7310579, 1)")
    #expect(try await database.migrate().functionsChanged)
    try await conflict.transaction { transaction in
      try await transaction.execute("LOCK TABLE settled.migration IN ROW EXCLUSIVE MODE")
      let error = await #expect(throws: EngineError.self) {
        _ = try await database.migrate(Migrator(lockTimeout: .milliseconds(100)))
      }
      #expect(error?.code == .locked)
      #expect(error?.description.contains("pid \(conflict.backendPID) (postgres, tests)") == true)
    }
    for role in ["settled_daemon", "settled_app", "settled_reader", "settled_schedule", "settled_gateway"] {
      try await conflict.script("SET ROLE \(role)")
      for mode in ["ROW EXCLUSIVE", "SHARE ROW EXCLUSIVE", "ACCESS EXCLUSIVE"] {
        let error = await #expect(throws: PostgresError.self) {
          try await conflict.transaction { try await $0.execute("LOCK TABLE settled.migration IN \(raw: mode) MODE") }
        }
        #expect(error?.sqlState == "42501")
      }
      try await conflict.script("RESET ROLE")
    }
  }

  @Test func `login roles carry the session settings, for a proxy that sets none`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let names = ConnectionOptions.pinned.keys.sorted()
    for role in ["settled_daemon", "settled_schedule", "settled_gateway"] {
      var options = ConnectionOptions(url: database.url(user: role))
      options.poolsTransactions = true
      let session = try await Connection.connect(options)
      let values = try await session.query(
        "SELECT array_agg(current_setting(name) ORDER BY n) FROM unnest(\(names)) WITH ORDINALITY AS _ (name, n)"
      ).one([String].self)
      #expect(values == names.map { ConnectionOptions.pinned[$0] }, "\(role)")
    }
  }
}
