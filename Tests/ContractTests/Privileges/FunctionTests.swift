import Postgres
import TestSupport
import Testing

@Suite("Every function") struct FunctionTests {
  private func offenders(_ condition: String) async throws -> [String] {
    let session = try await SettledDatabase.simulated().connect()
    return try await session.value(
      """
      SELECT coalesce(array_agg(p.oid::regprocedure::text), '{}') FROM pg_proc p
      WHERE p.pronamespace IN \(Catalogue.schemas) AND (\(condition))
      """, as: [String].self)
  }

  @Test
  func `every function has a fixed search path that ends in pg_temp, but for one that is put in place of its calls`()
    async throws
  {
    #expect(try await offenders("true").count > 40)
    let isFixed = "coalesce(p.proconfig, '{}') @> '{\"search_path=pg_catalog, pg_temp\"}'"
    #expect(try await offenders("NOT \(isFixed)") == ["settled.iso(timestamp with time zone)"])
  }

  @Test func `an instant's text is computed in place, and nobody's function stands in for PostgreSQL's`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let call: Statement = "SELECT settled.iso(timestamptz '2031-03-30 01:00:00.9999+00' + n * interval '0 s')"
    let plan = try await session.query("EXPLAIN (VERBOSE) \(fragment: call) FROM generate_series(1, 2) AS n")
      .decode(String.self).joined()
    #expect(plan.contains("to_char(") && !plan.contains("settled.iso("), "\(plan)")
    try await session.script(
      """
      CREATE SCHEMA foreign_one;
      CREATE FUNCTION foreign_one.to_char(timestamp, text) RETURNS text LANGUAGE sql AS $$ SELECT 'forged' $$;
      CREATE FUNCTION foreign_one.timezone(text, timestamptz) RETURNS timestamp LANGUAGE sql AS $$ SELECT now()::timestamp $$;
      SET search_path = foreign_one, pg_catalog;
      """)
    let shown = try await session.query("\(fragment: call) FROM generate_series(1, 1) AS n").one(String.self)
    #expect(shown == "2031-03-30T01:00:00.999Z")
  }

  /// Not those that read and write no text.
  @Test func `every function that callers reach fixes all settings that could change its result`() async throws {
    let isReached = """
      (has_function_privilege('settled_app', p.oid, 'EXECUTE')
        OR has_function_privilege('settled_schedule', p.oid, 'EXECUTE')
        OR has_function_privilege('settled_gateway', p.oid, 'EXECUTE')
        OR p.oid::regproc::text = ANY ('{settled.set, settled.set_clock, racing.verify_ledger, seasons.verify}'))
      AND p.oid::regproc::text NOT IN ('settled.clock', 'gateway.is_current')
      """
    #expect(try await offenders(isReached).count > 30)
    for setting in [
      "standard_conforming_strings=on", "extra_float_digits=1", "IntervalStyle=postgres", "DateStyle=ISO, MDY",
      "TimeZone=UTC", "jit=off",
    ] {
      let isMissing = "NOT EXISTS (SELECT FROM unnest(p.proconfig) c WHERE lower(c) = lower('\(setting)'))"
      #expect(try await offenders("\(isReached) AND \(isMissing)") == [], "\(setting)")
    }
  }

  @Test func `every function is closed to roles that were not named`() async throws {
    let isOpen = "p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0)"
    #expect(try await offenders(isOpen) == [])
    let isOthers = """
      EXISTS (SELECT FROM aclexplode(p.proacl) a
        WHERE a.grantee <> p.proowner AND a.grantee::regrole::text NOT IN ('settled_app', 'settled_daemon')
          AND NOT (a.grantee::regrole::text = 'settled_gateway' AND p.pronamespace = 'gateway'::regnamespace)
          AND (a.grantee::regrole::text, p.oid::regproc::text) NOT IN (('settled_schedule', 'settled.begin_occurrence'),
            ('settled_schedule', 'settled.end_occurrence')))
      """
    #expect(try await offenders(isOthers) == [])
    #expect(
      try await offenders(
        "EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee <> p.proowner AND a.is_grantable)") == [])
  }

  @Test func `functions for apps run as the owner, and functions for the owner only do not`() async throws {
    #expect(try await offenders("has_function_privilege('settled_app', p.oid, 'EXECUTE') AND NOT p.prosecdef") == [])
    let isOwnersOnly = """
      p.prosecdef AND p.prorettype <> 'trigger'::regtype
      AND NOT has_function_privilege('settled_app', p.oid, 'EXECUTE')
      AND NOT has_function_privilege('settled_gateway', p.oid, 'EXECUTE')
      AND NOT (p.pronamespace IN ('accounts'::regnamespace, 'gateway'::regnamespace) AND has_function_privilege('settled_daemon', p.oid, 'EXECUTE'))
      AND p.oid::regproc::text NOT IN ('settled.set', 'settled.set_clock', 'settled.begin_occurrence', 'settled.end_occurrence',
        'racing.verify_ledger', 'racing.skip_numbers', 'seasons.verify', 'settled.sequences_behind',
        'settled.plant_occurrences', 'settled.prune_occurrences', 'settled.close_events',
        'settled.prune_events', 'settled.set_home', 'settled.doubt_home', 'settled.fork',
        'strava.fork', 'strava.begin_subscription', 'strava.confirm_subscription',
        'strava.end_subscription', 'strava.prune_hints', 'settled.plant_partition', 'settled.prune_partition', 'strava.keep_access',
        'racing.take_listing', 'racing.take_activity', 'racing.take_streams', 'racing.end_read', 'racing.prune_claims',
        'racing.forget_claims',
        'racing.is_listed_ahead', 'racing.erase_athlete', 'racing.correct_athlete',
        'racing.overrule_review', 'checkins.erase_profile', 'seasons.erase_runner', 'seasons.erase_user',
        'achievements.erase_person')
      """
    #expect(try await offenders(isOwnersOnly) == [])
  }

  /// The contract's list, as it exists so far. A function that is added to the contract is added here.
  @Test func `every function that an app may call belongs to the contract`() async throws {
    let contract = ContractFunctions.all.map(\.name).filter { !ContractWorld.owners.contains($0) }
    let session = try await SettledDatabase.simulated().connect()
    let callable = try await Catalogue.calls(session).map(\.name)
    let open = try await offenders("has_function_privilege('settled_app', p.oid, 'EXECUTE')")
    #expect(open.count == contract.count)
    #expect(Set(contract).isSubset(of: callable))
  }
}
