import Engine
import Postgres
import TestSupport
import Testing

/// What somebody dropped, disabled or changed in the product's schemas.
@Suite("Objects of the schema") struct SchemaRepairTests {
  /// A deed of a superuser, and what `migrate` puts back.
  struct Deed: Sendable {
    let sql: String
    let found: String
    let label: String
  }

  static let deeds: [Deed] = [
    Deed(
      sql: "ALTER TABLE racing.journal DROP CONSTRAINT journal_once",
      found: "constraint journal_once of racing.journal is missing",
      label: "constraint journal_once of racing.journal"),
    Deed(
      sql: "ALTER TABLE racing.payout DROP CONSTRAINT payout_amount",
      found: "constraint payout_amount of racing.payout is missing",
      label: "constraint payout_amount of racing.payout"),
    Deed(
      sql: """
        ALTER TABLE racing.payout DROP CONSTRAINT payout_amount,
          ADD CONSTRAINT payout_amount CHECK (true)
        """,
      found: "constraint payout_amount of racing.payout differs in conkey",
      label: "constraint payout_amount of racing.payout"),
    Deed(
      sql: "DROP INDEX settled.failure_listed", found: "index failure_listed of settled.failure is missing",
      label: "index failure_listed of settled.failure"),
    Deed(
      sql: "DROP INDEX settled.failure_listed; CREATE INDEX failure_listed ON settled.failure (id)",
      found: "index failure_listed of settled.failure differs in indkey",
      label: "index failure_listed of settled.failure"),
    Deed(
      sql: "ALTER TABLE racing.journal DISABLE TRIGGER append_only",
      found: "trigger append_only of racing.journal is disabled", label: "trigger append_only of racing.journal"),
    Deed(
      sql: "DROP TRIGGER notify_nodes ON racing.race", found: "trigger notify_nodes of racing.race is missing",
      label: "trigger notify_nodes of racing.race"),
    Deed(
      sql: "ALTER TABLE racing.race ENABLE REPLICA TRIGGER notify_nodes",
      found: "trigger notify_nodes of racing.race fires in the wrong sessions",
      label: "trigger notify_nodes of racing.race"),
    Deed(
      sql: "ALTER TABLE racing.entry DISABLE TRIGGER ALL",
      found: "constraint entry_race_id_fkey of racing.entry is disabled",
      label: "constraint entry_race_id_fkey of racing.entry"),
    Deed(
      sql: """
        CREATE OR REPLACE FUNCTION racing.verify_ledger() RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb'
        """,
      found: "function racing.verify_ledger() differs in", label: "function racing.verify_ledger()"),
    Deed(
      sql: "ALTER FUNCTION settled.check_writer() RESET ALL",
      found: "function settled.check_writer() differs in proconfig", label: "function settled.check_writer()"),
    Deed(
      sql: "DROP FUNCTION settled.check_writer()", found: "function settled.check_writer() is missing",
      label: "function settled.check_writer()"),
    Deed(
      sql: "DROP VIEW racing.journal_digest CASCADE", found: "view racing.journal_digest is missing",
      label: "view racing.journal_digest"),
    Deed(
      sql: "ALTER TABLE racing.journal ALTER COLUMN kind DROP NOT NULL",
      found: "column kind of racing.journal differs in attnotnull", label: "column kind of racing.journal"),
    Deed(
      sql: "ALTER TABLE settled.failure ENABLE ROW LEVEL SECURITY",
      found: "table settled.failure differs in relrowsecurity", label: "table settled.failure"),
    Deed(
      sql: "ALTER TABLE settled.call_window SET UNLOGGED",
      found: "table settled.call_window differs in relpersistence", label: "table settled.call_window"),
    Deed(
      sql: "ALTER TABLE settled.call_window ALTER COLUMN used DROP DEFAULT",
      found: "column used of settled.call_window differs in adbin", label: "column used of settled.call_window"),
  ]

  private static func differences(_ session: some Session) async throws -> [String] {
    try await SchemaDifference.all(from: Migrations(), session).map(\.description)
  }

  /// Deeds on one object stand in different databases.
  @Test(arguments: [true, false]) func `migrate puts back what a superuser removed, and doctor names it before`(
    first: Bool
  ) async throws {
    var labels: Set<String> = []
    let deeds = Self.deeds.filter { labels.insert($0.label).inserted == first }
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    #expect(try await Self.differences(owner) == [])
    for deed in deeds { try await owner.script(deed.sql) }
    let found = try await Self.differences(owner)
    let report = try await database.database.migrate()
    for deed in deeds {
      #expect(found.contains { $0.hasPrefix(deed.found) }, "\(deed): \(found)")
      #expect(report.putBack.contains(deed.label), "\(deed): \(report)")
    }
    #expect(try await Self.differences(owner) == [])
    #expect(try await database.database.migrate() == Migrator.Report(isSimulated: true))
  }

  /// The rows that hold a damaged table's rule, and how `migrate` names them.
  static let rows: [(deed: String, rows: String, found: String, left: String)] = [
    (
      """
      ALTER TABLE settled.failure DROP CONSTRAINT failure_item;
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
      SELECT 'job', 'a/1', 1, now(), now(), now(), false, '' FROM generate_series(1, 2)
      """, "rows (job, a/1)", "constraint failure_item of settled.failure is missing",
      "constraint failure_item of settled.failure is missing"
    ),
    (
      """
      ALTER TABLE settled.call_window DROP CONSTRAINT call_window_told;
      INSERT INTO settled.call_window (budget, seconds, started_at, told_limit) VALUES ('strava', 900, now(), -5)
      """, "rows (strava, 900)", "constraint call_window_told of settled.call_window is missing",
      "constraint call_window_told of settled.call_window differs in convalidated"
    ),
    (
      """
      ALTER TABLE settled.call_window ALTER COLUMN started_at DROP NOT NULL;
      INSERT INTO settled.call_window (budget, seconds) VALUES ('strava', 86400)
      """, "rows (strava, 86400)", "column started_at of settled.call_window differs in attnotnull",
      "column started_at of settled.call_window differs in attnotnull"
    ),
    (
      """
      ALTER TABLE racing.entry DISABLE TRIGGER ALL;
      INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at, status)
      VALUES (4711, 4712, 100, now(), 'entered')
      """, "rows (1)", "constraint entry_race_id_fkey of racing.entry is disabled",
      "constraint entry_race_id_fkey of racing.entry differs in convalidated"
    ),
    (
      "ALTER TABLE racing.entry DROP CONSTRAINT entry_once; CREATE INDEX entry_once ON racing.entry (race_id)",
      "(relation \"entry_once\" already exists)", "constraint entry_once of racing.entry is missing",
      "constraint entry_once of racing.entry is missing"
    ),
    (
      "ALTER TABLE settled.failure DROP COLUMN sql_state", "(no statement can restore it)",
      "column sql_state of settled.failure is missing", "column sql_state of settled.failure is missing"
    ),
  ]

  @Test func `migrate names the rows that forbid a constraint, and puts back all else`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.execute("ALTER TABLE racing.journal DISABLE TRIGGER append_only")
    for each in Self.rows { try await owner.script(each.deed) }
    let error = await #expect(throws: EngineError.self) { try await database.database.migrate() }
    #expect(error?.code == .damaged)
    let description = error?.description ?? ""
    for each in Self.rows {
      #expect(description.contains(each.found) && description.contains(each.rows), "\(description)")
    }
    let more = [
      "index entry_once of racing.entry", "constraint entry_athlete_id_fkey of racing.entry differs in convalidated",
    ]
    #expect(Set(try await Self.differences(owner)) == Set(Self.rows.map(\.left) + more))
  }

  @Test func `migrate names what it cannot put back, and puts back all else`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.script(
      """
      ALTER TABLE settled.call_window DROP COLUMN told_limit;
      DROP FUNCTION racing.verify_ledger(); CREATE FUNCTION racing.verify_ledger() RETURNS integer LANGUAGE sql AS 'SELECT 1';
      ALTER TABLE racing.journal DROP CONSTRAINT journal_once; DROP INDEX settled.failure_listed
      """)
    let error = await #expect(throws: EngineError.self) { try await database.database.migrate() }
    let left = [
      "column told_limit of settled.call_window is missing",
      "constraint call_window_told of settled.call_window is missing",
      "function racing.verify_ledger() differs in",
    ]
    for each in left { #expect(error?.description.contains(each) == true, "\(error?.description ?? "")") }
    let differences = try await Self.differences(owner)
    #expect(differences.count == 3, "\(differences)")
  }

  @Test func `a rule that old rows break binds new rows`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let row = "INSERT INTO settled.call_window (budget, seconds, started_at, told_limit) VALUES"
    try await owner.script(
      "ALTER TABLE settled.call_window DROP CONSTRAINT call_window_told; \(row) ('strava', 900, now(), -5)")
    await #expect(throws: EngineError.self) { try await database.database.migrate() }
    let refusal = await #expect(throws: PostgresError.self) {
      try await owner.script("\(row) ('strava', 901, now(), -5)")
    }
    #expect(refusal?.sqlState == "23514")
    try await owner.execute("DELETE FROM settled.call_window")
    #expect(try await database.database.migrate().putBack == ["constraint call_window_told of settled.call_window"])
    #expect(try await Self.differences(owner) == [])
  }

  @Test func `foreign objects are named and left alone`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.script(
      """
      CREATE INDEX report ON racing.journal (kind);
      CREATE RULE nothing AS ON DELETE TO settled.failure DO INSTEAD NOTHING;
      CREATE POLICY mine ON settled.failure USING (true);
      CREATE FUNCTION racing.report() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER report BEFORE INSERT ON racing.posting EXECUTE FUNCTION racing.report();
      CREATE TABLE racing.reports (id bigint PRIMARY KEY)
      """)
    let report = try await database.database.migrate()
    #expect(report.putBack == [])
    let foreign = [
      "table racing.reports", "index report of racing.journal", "function racing.report()",
      "trigger report of racing.posting", "rule nothing of settled.failure", "policy mine of settled.failure",
    ]
    #expect(report.foreign == foreign)
    #expect(try await Self.differences(owner) == foreign)
  }

  @Test func `two migrators at once put an object back once`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.script("DROP INDEX settled.failure_listed; ALTER TABLE racing.payout DROP CONSTRAINT payout_amount")
    let reports = try await withThrowingTaskGroup(of: Migrator.Report.self) { group in
      for _ in 0..<6 { group.addTask { try await database.database.migrate() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let labels = ["constraint payout_amount of racing.payout", "index failure_listed of settled.failure"]
    #expect(reports.flatMap(\.putBack).sorted() == labels)
    #expect(try await Self.differences(owner) == [])
  }

  /// Its functions differ from ours without damage.
  @Test func `an older program finds no damage in a later release`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate(Migrator(MigrationFixture.laterFunctions))
    let owner = try await database.connect()
    try await owner.execute("DROP FUNCTION racing.verify_ledger()")
    #expect(try await Self.differences(owner) == [])
    #expect(try await database.migrate() == Migrator.Report())
  }
}
