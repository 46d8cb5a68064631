import Engine
import Postgres
import Schema
import TestSupport
import Testing

/// Accounts from before operators could see who verified an address, and the audit from before it had no address.
@Suite("Accounts of a former release") struct AccountMigrationTests {
  /// The function that each migration ends with; today's others name tables of today.
  private static let functions = Schema.functions.filter { $0.path.hasSuffix("/time_zones.sql") }.map { file in
    Schema.File(path: file.path, text: String(file.text.split(separator: "SELECT settled.declare_callers")[0]))
  }

  @Test func `accounts, their audit and erased athletes of a former release become what today's would be`()
    async throws
  {
    let database = try await TestCluster.shared.database()
    let files = Schema.migrations.prefix { !$0.path.contains("verified-accounts") }
    let owner = try await database.connect()
    _ = try await Migrator(Migrations(migrations: Array(files), functions: Self.functions)).migrate(database.options)
    try await owner.script(
      """
      INSERT INTO racing.athlete (display_name, user_type, created_at) SELECT 'A', 'racer', now() FROM generate_series(1, 4);
      INSERT INTO accounts.account (email, display_name, athlete_id, username, checkin_id, roles, password_hash) VALUES
        ('registered@example.org', 'A', 1, NULL, NULL, '{}', repeat('h', 40)),
        ('moderator@example.org', 'A', 2, NULL, NULL, '{moderator}', repeat('h', 40)),
        ('coach@example.org', 'A', 3, 'coach', NULL, '{}', repeat('h', 40)),
        ('check-in@example.org', 'A', NULL, NULL, 'uid', '{}', repeat('h', 40)),
        ('invited@example.org', 'A', 4, 'ann', NULL, '{payments}', NULL);
      INSERT INTO settled.audit (node, uid, gid, pid, command, target, before, after) VALUES
        ('n', 0, 0, 1, 'account.create', 'account 1', 'null', '{"id": 1, "email": "ann@example.org", "displayName": "Ann"}'),
        ('n', 0, 0, 1, 'account.grant', 'account 1', '{"id": 1, "email": "ann@example.org"}', '{"id": 1, "roles": ["payments"]}'),
        ('n', 0, 0, 1, 'job.run', 'x', 'null', '{"email": "not an account"}'),
        ('n', 0, 0, 1, 'person.erase', 'athlete 2', 'null', '{}'), ('n', 0, 0, 1, 'person.erase', 'athlete 3', 'null', '{}');
      UPDATE racing.athlete SET display_name = 'erased' WHERE id IN (2, 4);
      -- The guard of release 6 of the functions refuses each change.
      SET ROLE settled_owner;
      CREATE FUNCTION settled.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''never''; END';
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settled.audit
        FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
      RESET ROLE;
      """)
    _ = try await Migrator().migrate(database.options)
    let verified = try await owner.query(
      "SELECT split_part(email, '@', 1) FROM accounts.account WHERE verified_at IS NOT NULL ORDER BY id"
    ).decode(String.self)
    #expect(verified == ["moderator", "coach", "check-in"])
    let audited = try await owner.query("SELECT before::text || after FROM settled.audit ORDER BY id LIMIT 3").decode(
      String.self)
    #expect(
      audited == [
        #"null{"id": 1}"#, #"{"id": 1}{"id": 1, "roles": ["payments"]}"#, #"null{"email": "not an account"}"#,
      ])
    await #expect(throws: PostgresError.self) { try await owner.execute("UPDATE settled.audit SET after = '{}'") }
    // A daemon of the former release continues beside this one.
    try await owner.execute("SET ROLE settled_daemon")
    let written: Statement = """
      INSERT INTO settled.audit (node, uid, gid, pid, command, target, before, after) VALUES
        ('n', 0, 0, 1, 'account.link', 'account 1', '{"id": 1, "email": "ann@example.org"}',
          '{"id": 1, "email": "ann@example.org", "displayName": "Ann", "runnerId": 2}')
      RETURNING before::text || after
      """
    #expect(try await owner.query(written).one(String.self) == #"{"id": 1}{"id": 1, "runnerId": 2}"#)
    let erased = try await owner.query("SELECT id FROM racing.athlete WHERE erased_at IS NOT NULL").decode(Int64.self)
    #expect(erased == [2])
  }
}
