import Engine
import Postgres
import DaemonSupport
import TestSupport
import Testing

/// Somebody who may create in `public` puts operators and functions there that fit better than the server's own, and
/// the database's search path even names `public` first.
@Suite("A hostile public schema") struct HostilePublicTests {
  /// Each planted thing notes who ran it, and then answers as the original does.
  private static let plants: [(name: String, arguments: String, result: String, body: String)] = [
    ("both", "text[], text[]", "text[]", "array_cat($1, $2)"),
    ("same", "text[], text[]", "boolean", "array_eq($1, $2)"),
    ("unnest", "text[]", "SETOF text", "unnest($1)"), ("unnest", "bigint[]", "SETOF bigint", "unnest($1)"),
    ("array_length", "text[], integer", "integer", "array_length($1, $2)"),
    ("array_length", "bigint[], integer", "integer", "array_length($1, $2)"),
    ("to_jsonb", "text", "jsonb", "to_jsonb($1)"), ("to_jsonb", "bigint", "jsonb", "to_jsonb($1)"),
    ("format", "text, text", "text", "format($1, $2)"), ("concat", "text, text", "text", "concat($1, $2)"),
    ("set_config", "text, text, boolean", "text", "set_config($1, $2, $3)"),
    ("current_setting", "text", "text", "current_setting($1)"),
    ("clock_timestamp", "", "timestamptz", "clock_timestamp()"),
    ("to_regclass", "text", "regclass", "to_regclass($1)"), ("encode", "bytea, text", "text", "encode($1, $2)"),
    ("sha256", "bytea", "bytea", "sha256($1)"), ("convert_to", "text, name", "bytea", "convert_to($1, $2)"),
    ("pg_backend_pid", "", "integer", "pg_backend_pid()"), ("pg_notify", "text, text", "void", "pg_notify($1, $2)"),
    ("pg_advisory_lock", "integer, integer", "void", "pg_advisory_lock($1, $2)"),
  ]

  private static func plant(in database: TestDatabase) async throws {
    let owner = try await database.connect()
    var sql = """
      CREATE TABLE public.caught (who text NOT NULL DEFAULT current_user, what text NOT NULL);
      GRANT ALL ON SCHEMA public TO PUBLIC;
      GRANT ALL ON public.caught TO PUBLIC;

      """
    for (name, arguments, result, body) in plants {
      let call = body.replacing(/^/, with: "pg_catalog.")
      let answer =
        result.hasPrefix("SETOF")
        ? "RETURN QUERY SELECT \(call)" : result == "void" ? "PERFORM \(call)" : "RETURN \(call)"
      sql += """
        CREATE FUNCTION public.\(name)(\(arguments)) RETURNS \(result) LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO public.caught (what) VALUES ('\(name)'); \(answer); END $$;

        """
    }
    sql += """
      CREATE OPERATOR public.|| (LEFTARG = text[], RIGHTARG = text[], FUNCTION = public.both);
      CREATE OPERATOR public.= (LEFTARG = text[], RIGHTARG = text[], FUNCTION = public.same);
      ALTER DATABASE \(database.name) SET search_path = public, pg_catalog;
      """
    try await owner.script(sql)
    await owner.close()
  }

  private static func caught(_ owner: Connection) async throws -> [String] {
    try await owner.query("SELECT DISTINCT who || ' ' || what FROM public.caught").decode(String.self)
  }

  @Test func `objects in a hostile public schema affect neither a migration nor a daemon`() async throws {
    let database = try await TestCluster.shared.database()
    try await Self.plant(in: database)
    _ = try await Migrator(simulatesClock: true).migrate(database.options)
    let owner = try await Connection.connect(ConnectionOptions(url: database.url()))
    #expect(try await Self.caught(owner) == [])
    #expect(try await owner.query("SELECT ARRAY['a'] OPERATOR(public.||) ARRAY['b']").count == 1)
    #expect(try await Self.caught(owner) == ["postgres both"])
    try await owner.execute("DELETE FROM public.caught")

    let node = TestNode(SettledDatabase(database: database))
    try await node.untilAsleep()
    try await node.stop()
    #expect(try await owner.query("SELECT count(*) > 0 FROM racing.race").one(Bool.self))
    #expect(try await Self.caught(owner) == [])
  }
}
