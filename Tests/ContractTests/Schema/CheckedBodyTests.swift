import Postgres
import TestSupport
import Testing

@Suite("The body of every function") struct CheckedBodyTests {
  /// Debian's plpgsql_check reads each statement as the planner does: names, types, hidden casts, volatility.
  @Test func `plpgsql_check finds nothing in the body of any function`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    try await session.execute("CREATE EXTENSION plpgsql_check SCHEMA public")
    // A trigger function is read once for each table that it serves.
    let bodies = """
      SELECT p.oid, coalesce(t.tgrelid, 0) AS relation, t.tgoldtable, t.tgnewtable
      FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
      LEFT JOIN pg_trigger t ON t.tgfoid = p.oid AND NOT t.tgisinternal AND t.tgparentid = 0
      WHERE p.pronamespace IN \(Catalogue.schemas)
        AND (t.oid IS NOT NULL OR p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype))
      """
    #expect(try await session.value("SELECT count(*) FROM (\(bodies)) AS b", as: Int64.self) > 300)
    let findings = try await session.query(
      """
      SELECT DISTINCT concat_ws(' ', b.oid::regprocedure, nullif(b.relation, 0)::regclass, 'line', f.lineno, f.level,
        f.message, f.detail)
      FROM (\(raw: bodies)) AS b CROSS JOIN LATERAL public.plpgsql_check_function_tb(b.oid, b.relation,
        oldtable => b.tgoldtable, newtable => b.tgnewtable,
        fatal_errors => false, other_warnings => true, performance_warnings => true, extra_warnings => true,
        security_warnings => true, compatibility_warnings => true) AS f
      ORDER BY 1
      """
    ).decode(String.self)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }
}
