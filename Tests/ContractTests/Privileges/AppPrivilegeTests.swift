import Postgres
import TestSupport
import Testing

@Suite("settled_app") struct AppPrivilegeTests {
  private static let denied = "42501"

  @Test func `settled_app reads and writes no table, view or sequence`() async throws {
    let database = try await SettledDatabase.simulated()
    let app = try await database.connect(.app)
    let owner = try await database.connect()
    let relations = try await Catalogue.relations(owner)
    #expect(relations.count > 20)
    for (relation, isTable) in relations {
      let reads = ["SELECT * FROM \(relation)", "SELECT count(*) FROM \(relation)"]
      let writes = ["INSERT INTO \(relation) DEFAULT VALUES", "DELETE FROM \(relation)", "TRUNCATE \(relation)"]
      for statement in isTable ? reads + writes : reads {
        try await expectServerError(Self.denied, "\(statement)") { try await app.run(statement) }
      }
    }
    // The rights that were not tried above: any column of any relation, any privilege.
    let columns = """
      SELECT count(*) FROM pg_class c WHERE c.relnamespace IN \(Catalogue.schemas) AND c.relkind IN ('r', 'p', 'v', 'm')
        AND (has_any_column_privilege('settled_app', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
          OR has_table_privilege('settled_app', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))
      """
    #expect(try await owner.value(columns) == 0)
    let sequences = try await owner.value(
      "SELECT array_agg(c.oid::regclass::text) FROM pg_class c WHERE c.relkind = 'S' AND c.relnamespace IN \(Catalogue.schemas)",
      as: [String].self)
    #expect(!sequences.isEmpty)
    for sequence in sequences {
      try await expectServerError(Self.denied, "\(sequence)") { try await app.run("SELECT nextval('\(sequence)')") }
      try await expectServerError(Self.denied, "\(sequence)") { try await app.run("SELECT * FROM \(sequence)") }
    }
  }

  @Test func `settled_app calls the contract's functions and no other`() async throws {
    let database = try await SettledDatabase.simulated()
    let app = try await database.connect(.app)
    let contract = Set(ContractFunctions.all.map(\.name)).subtracting(ContractWorld.owners)
    var refused = 0
    for (name, call) in try await Catalogue.calls(database.connect()) {
      let error = try await Self.error { try await app.run(call) }
      if contract.contains(name) {
        #expect(error?.sqlState != Self.denied, "\(call)")
      } else {
        #expect(error?.sqlState == Self.denied, "\(call)")
        refused += 1
      }
    }
    #expect(refused > 30)
  }

  @Test func `settled_app creates nothing and can assume no role`() async throws {
    let database = try await SettledDatabase.simulated()
    let app = try await database.connect(.app)
    let schemas = try await database.connect().value(
      "SELECT array_agg(oid::regnamespace::text) FROM pg_namespace WHERE oid IN \(Catalogue.schemas)", as: [String].self
    )
    #expect(schemas.count >= 3)
    for statement in schemas.map({ "CREATE TABLE \($0).mine ()" }) + [
      "CREATE SCHEMA mine", "CREATE TABLE public.mine ()", "SET ROLE settled_daemon", "SET ROLE postgres",
      "CREATE FUNCTION settled.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE ROLE mine",
      "ALTER TABLE racing.wallet DISABLE TRIGGER ALL", "SET session_replication_role = replica",
      "COPY racing.wallet TO STDOUT", "ALTER FUNCTION settled.clock() SECURITY INVOKER",
    ] {
      let error = try await Self.error { try await app.run(statement) }
      #expect(error?.sqlState == Self.denied, "\(statement): \(error?.debugDescription ?? "no error")")
    }
  }

  /// A temporary table shadows none of the product's schemas: a function's path names it last.
  @Test func `settled_app cannot put a table of its own in a function's way`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 50)
    let app = try await course.database.connect(.app)
    for table in ["wallet", "athlete", "installation", "pg_class"] {
      try await app.run("CREATE TEMP TABLE \(table) (a int)")
    }
    try await app.run("CREATE FUNCTION pg_temp.iso(timestamptz) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$")
    try await app.run("SET search_path = pg_temp, settled, racing, pg_catalog")
    let shown = try await app.json("SELECT racing.transactions(\(athlete))")
    #expect(shown.contains("2031-06-02T09:00:00.000Z"))
  }

  private static func error(_ call: () async throws -> Void) async throws -> PostgresError? {
    do {
      try await call()
      return nil
    } catch let error as PostgresError {
      return error
    }
  }
}
