import Engine
import Postgres
import Schema
import TestSupport
import Testing

/// Accounts from before operators could see who verified an address.
@Suite("Accounts of a former release") struct AccountMigrationTests {
  /// The function that each migration ends with; today's others name tables of today.
  private static let functions = Schema.functions.filter { $0.path.hasSuffix("/time_zones.sql") }.map { file in
    Schema.File(path: file.path, text: String(file.text.split(separator: "SELECT settled.declare_callers")[0]))
  }

  @Test func `an account of a former release is verified where its roles or identities are an operator's`()
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
      """)
    _ = try await Migrator().migrate(database.options)
    let verified = try await owner.query(
      "SELECT split_part(email, '@', 1) FROM accounts.account WHERE verified_at IS NOT NULL ORDER BY id"
    ).decode(String.self)
    #expect(verified == ["moderator", "coach", "check-in"])
  }
}
