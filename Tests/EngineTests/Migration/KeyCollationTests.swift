import Engine
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

/// Keys do not depend on the locale data of the server.
@Suite("Keys over text") struct KeyCollationTests {
  private static let others: Statement = """
    SELECT format('%s %s', x.indexrelid::regclass, a.attname)
    FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_am AS m ON m.oid = i.relam
      JOIN pg_attribute AS a ON a.attrelid = x.indexrelid
    WHERE n.nspname = ANY (\(Ownership.schemas)) AND m.amname = 'btree'
      AND x.indexrelid::regclass::text <> ALL ('{racing.race_of_status,racing.race_of_end}')
      AND a.attcollation NOT IN (0, 'pg_catalog."C"'::regcollation)
    ORDER BY 1
    """

  /// The function that each migration ends with; today's others name tables of today.
  private static let functions = Schema.functions.filter { $0.path.hasSuffix("/time_zones.sql") }.map { file in
    Schema.File(path: file.path, text: String(file.text.split(separator: "SELECT settled.declare_callers")[0]))
  }

  /// The tables of the release before, without its functions.
  private func former() async throws -> TestDatabase {
    let database = try await TestCluster.shared.database()
    let files = Schema.migrations.prefix { !$0.path.contains("key-collation") }
    let session = try await database.connect()
    _ = try await Migrator(Migrations(migrations: Array(files), functions: Self.functions)).migrate(database.options)
    await session.close()
    return database
  }

  @Test func `every index over text compares bytes, but for those over the five words of a race's status`()
    async throws
  {
    let session = try await SettledDatabase.simulated().connect()
    let others = try await session.query(Self.others).decode(String.self)
    #expect(others == [])
    #expect(try await SchemaObject.all(session).contains { $0[.isUnique] != nil && $0[.isValid] == nil } == false)
  }

  @Test func `keys of large tables are built before the migration, also after a build that was cut off`()
    async throws
  {
    let database = try await former()
    let owner = try await database.connect()
    try await owner.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
        SELECT 'deposit', 'athlete/' || n || '/' || repeat('k', 300), 'Deposit', now() FROM generate_series(1, 30000) AS n;
      CREATE INDEX journal_once_c ON racing.journal (idempotency_key);
      UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'racing.journal_once_c'::regclass;
      """)
    let oid: Statement =
      "SELECT 'racing.journal'::regclass::oid::bigint, pg_relation_filenode('racing.journal')::bigint"
    let (table, file) = try await owner.query(oid).one(Int64.self, Int64.self)
    let steps = Steps()
    _ = try await Migrator(begins: steps.add).migrate(database.options)
    #expect(steps.all.contains("building index racing.journal_once_c concurrently"))
    #expect(try await owner.query(oid).one(Int64.self, Int64.self) == (table, file))
    let others = try await owner.query(Self.others).decode(String.self)
    #expect(others == [])
    let names = try await owner.query(
      "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'racing.journal'::regclass ORDER BY 1"
    ).decode(String.self)
    #expect(names == ["racing.journal_once", "racing.journal_pkey"])
  }

  @Test func `a key of a partition is exchanged with its table's, and a writer waits for no build`() async throws {
    let database = try await former()
    let owner = try await database.connect()
    try await owner.script(
      """
      SET session_replication_role = replica;
      INSERT INTO settled.occurrence (schedule, instant, status, reason, backfilled, planned_at, due_at, finished_at)
        SELECT 'app.' || repeat('s', 200), '2031-01-01Z'::timestamptz + n * interval '1 s', 'skipped', 'late', false,
          now(), now(), now() FROM generate_series(1, 40000) AS n;
      INSERT INTO gateway.answer (digest, caller, fingerprint, at)
        SELECT sha256(n::text::bytea), repeat('c', 190) || n, repeat('f', 190), now() FROM generate_series(1, 25000) AS n;
      CREATE FUNCTION settled.changed_rights() RETURNS SETOF integer LANGUAGE sql AS 'SELECT 1 WHERE false';
      CREATE FUNCTION settled.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seasons.earning FOR EACH STATEMENT
        EXECUTE FUNCTION settled.refuse_change();
      ALTER TABLE seasons.earning ENABLE ALWAYS TRIGGER append_only;
      """)
    let steps = Steps()
    // The functions' script would make the trigger again.
    _ = try await Migrator(Migrations(functions: Self.functions), begins: steps.add).migrate(database.options)
    #expect(steps.all.contains { $0.contains("settled.occurrence") && $0.contains("concurrently") }, "\(steps.all)")
    let others = try await owner.query(Self.others).decode(String.self)
    #expect(others == [])
    let isGuarded = try await owner.query(
      "SELECT tgenabled = 'A' FROM pg_trigger WHERE tgrelid = 'seasons.earning'::regclass AND tgname = 'append_only'"
    ).one(Bool.self)
    #expect(isGuarded)
    try await owner.execute("DROP FUNCTION settled.changed_rights()")
    _ = try await database.migrate()
    let objects = try await SchemaObject.all(owner)
    let fresh = try await SchemaObject.all(SettledDatabase.simulated().connect())
    #expect(Set(objects).symmetricDifference(fresh) == [])
  }

  @Test func `a view of others on a key is refused by name, and given to nobody`() async throws {
    let database = try await former()
    let owner = try await database.connect()
    try await owner.script(
      """
      CREATE SCHEMA report;
      CREATE VIEW report.keys AS SELECT j.idempotency_key FROM racing.journal AS j;
      CREATE VIEW report.digests AS SELECT d.digest FROM racing.journal_digest AS d;
      """)
    let error = await #expect(throws: EngineError.self) { try await database.migrate() }
    #expect(error?.code == .inTheWay)
    for name in ["report.keys", "report.digests"] {
      #expect(error?.description.contains("rule _RETURN on view \(name)") == true, "\(name)")
    }
    try await owner.execute("DROP SCHEMA report CASCADE")
    _ = try await database.migrate()
    let others = try await owner.query(Self.others).decode(String.self)
    #expect(others == [])
  }

  @Test func `keys change where nobody may make temporary tables, and get new statistics`() async throws {
    let database = try await former()
    let owner = try await database.connect()
    try await owner.script(
      """
      REVOKE TEMPORARY ON DATABASE \(database.name.quotedIdentifier) FROM PUBLIC;
      INSERT INTO settled.problem (name, problem, since) SELECT n::text, 'p', now() FROM generate_series(1, 200) AS n;
      ANALYZE settled.problem;
      """)
    _ = try await database.migrate()
    let kept = try await owner.query(
      "SELECT count(*) FROM pg_stats WHERE schemaname = 'settled' AND tablename = 'problem' AND attname = 'name'"
    ).one(Int64.self)
    #expect(kept == 1)
  }
}

/// The steps of a migrator, in their order.
private final class Steps: Sendable {
  private let steps = Mutex<[String]>([])

  var all: [String] { steps.withLock { $0 } }

  func add(_ step: String) { steps.withLock { $0.append(step) } }
}
