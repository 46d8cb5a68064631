import Engine
import Postgres
import Schema
import TestSupport
import Testing

/// Connections from before accounts at the provider belonged to those who entered races with them.
@Suite("Connections of a former release") struct EnteredAccountMigrationTests {
  /// The function that each migration ends with; today's others name tables of today.
  private static let functions = Schema.functions.filter { $0.path.hasSuffix("/time_zones.sql") }.map { file in
    Schema.File(path: file.path, text: String(file.text.split(separator: "SELECT settled.declare_callers")[0]))
  }

  @Test func `accounts of entrants belong to them after the migration, and those of others to nobody`() async throws {
    let database = try await TestCluster.shared.database()
    let files = Schema.migrations.prefix { !$0.path.contains("entered-accounts") }
    let owner = try await database.connect()
    _ = try await Migrator(Migrations(migrations: Array(files), functions: Self.functions)).migrate(database.options)
    // 1 entered and is connected, 2 entered and has left, 3 never entered, 4 entered and was erased.
    try await owner.script(
      """
      INSERT INTO racing.athlete (display_name, user_type, created_at) SELECT 'A', 'racer', now() FROM generate_series(1, 4);
      UPDATE racing.athlete SET erased_at = now() WHERE id = 4;
      INSERT INTO strava.connection (athlete_id, status, changed_at, provider_athlete_id) VALUES
        (1, 'active', now(), 71), (2, 'revoked', now(), NULL), (3, 'active', now(), 73), (4, 'revoked', now(), 74);
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence,
          platform_fee_percent, prize_shares, entry_cutoff, review_hold, next_check_at, created_at)
        SELECT 'top_speed', 'daily', 'senior_men', t, t + interval '1 day', t + interval '25 h', 100, 1, '{75,20,5}', '3 h',
          '72 h', t + interval '25 h', t FROM (SELECT date_trunc('day', now())) AS d (t);
      INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at)
        SELECT 1, a, 100, now() FROM unnest('{1,2,4}'::bigint[]) AS a;
      """)
    _ = try await Migrator().migrate(database.options)
    let rows: Statement = "SELECT provider_athlete_id, athlete_id FROM racing.entered_account"
    let kept = try await owner.query(rows).decode(Int64.self, Int64.self)
    #expect(kept.count == 1 && kept.first.map { $0 == (71, 1) } == true)
    let forgotten = try await owner.query(
      "SELECT athlete_id FROM racing.revocation WHERE forget_at = revoked_at + interval '24 hours'"
    ).decode(Int64.self)
    #expect(forgotten == [2], "of those who had disconnected, names and tracks go; an erased one has none")
    // The statement of a former release's node, which knows no provider.
    let node: Statement = """
      INSERT INTO settled.node AS n (node, version, started_at, last_seen_at, state)
      VALUES ('former', '1', clock_timestamp(), clock_timestamp(), 'ready')
      ON CONFLICT (node) DO UPDATE SET version = excluded.version RETURNING has_provider IS NULL
      """
    try await owner.execute("SET ROLE settled_daemon")
    #expect(try await owner.query(node).one(Bool.self))
  }
}
