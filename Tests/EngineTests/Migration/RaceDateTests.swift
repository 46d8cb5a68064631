import Engine
import Postgres
import Schema
import TestSupport
import Testing

@Suite("The dates of races that a former release made") struct RaceDateTests {
  @Test func `the first regular race of a date gets it, and special races get none`() async throws {
    let database = try await TestCluster.shared.database()
    let files = Array(Schema.migrations.prefix { !$0.path.contains("race-dates") })
    let functions = Schema.functions.filter { $0.path.hasSuffix("/time_zones.sql") }.map { file in
      Schema.File(path: file.path, text: String(file.text.split(separator: "SELECT settled.declare_callers")[0]))
    }
    _ = try await Migrator(Migrations(migrations: files, functions: functions)).migrate(database.options)
    let owner = try await database.connect()
    try await owner.script(
      """
      INSERT INTO settled.setting (key, kind, default_value, meaning)
        VALUES ('racing.time_zone', 'zone', 'Europe/London', 'Calendar') ON CONFLICT DO NOTHING;
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence, status,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, next_check_at, created_at)
      SELECT 'top_speed', r.duration, 'senior_men', r.low, r.high, r.high, 100, r.status, 1, '{75,20,5}', '3h', '1d',
        r.high, r.low
      FROM (VALUES ('daily', timestamptz '2031-03-30 00:00Z', timestamptz '2031-03-30 23:00Z', 'active'),
        ('daily', '2031-03-30 23:00Z', '2031-03-31 23:00Z', 'upcoming'),
        ('daily', '2031-03-31 23:00Z', '2031-04-01 12:00Z', 'upcoming'),
        ('daily', '2031-03-28 00:00Z', '2031-03-29 00:00Z', 'settled'),
        ('weekly', '2031-03-24 00:00Z', '2031-03-30 23:00Z', 'active'),
        ('weekly', '2031-03-25 00:00Z', '2031-03-31 23:00Z', 'active'),
        ('monthly', '2031-03-01 00:00Z', '2031-03-31 23:00Z', 'active')) AS r (duration, low, high, status)
      """)
    await owner.close()
    _ = try await Migrator().migrate(database.options)
    let session = try await database.connect()
    let dates = try await session.query(
      "SELECT concat_ws(' ', duration, local_date, local_zone) FROM racing.race ORDER BY id"
    ).decode(String.self)
    #expect(
      dates == [
        "daily 2031-03-30 Europe/London", "daily 2031-03-31 Europe/London", "daily", "daily",
        "weekly 2031-03-24 Europe/London", "weekly", "monthly 2031-03-01 Europe/London",
      ])
  }
}
