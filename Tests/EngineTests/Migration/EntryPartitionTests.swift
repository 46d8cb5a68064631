import Postgres
import Schema
import TestSupport
import Testing

@Suite("The migration to partitions of entries") struct EntryPartitionTests {
  @Test func `the migration to partitions of entries keeps each entry once, in the month of its date`() async throws {
    let owner = try await TestCluster.shared.database().connect()
    let place = try #require(Schema.migrations.firstIndex { $0.path.hasSuffix("-entry-partitions.sql") })
    // The partitions that the migrator makes before the first.
    try await owner.script(
      """
      CREATE SCHEMA settled; CREATE TABLE settled.migration (number integer);
      CREATE TABLE settled.function_script (only_row boolean)
      """)
    for file in Schema.migrations[..<place] { try await owner.script(file.text) }
    try await owner.script(
      """
      INSERT INTO checkins.profile (user_id, is_onboarded, created_at, zone_since)
        SELECT 'p' || n, true, now(), '2030-01-01' FROM generate_series(1, 3) AS n;
      INSERT INTO checkins.entry
        SELECT p.id, d::date, 'UTC', 1.5, '{"steps": 1}', d FROM checkins.profile AS p,
          generate_series(timestamptz '2030-11-29 12:00Z', '2031-02-02 12:00Z', '1 day') AS d
      """)
    let entries = "SELECT md5(string_agg(e::text, ' ' ORDER BY profile_id, date)) FROM checkins.entry AS e"
    let before = try await owner.query(Statement(raw: entries)).one(String.self)
    try await owner.script(Schema.migrations[place].text)
    #expect(try await owner.query(Statement(raw: entries)).one(String.self) == before)
    let counts = try await owner.query(
      "SELECT tableoid::regclass || ' ' || count(*) FROM checkins.entry GROUP BY tableoid ORDER BY 1"
    ).decode(String.self)
    #expect(
      counts.sorted() == [
        "checkins.entry_2030_11 6", "checkins.entry_2030_12 93", "checkins.entry_2031_01 93",
        "checkins.entry_2031_02 6",
      ])
    let twice = await #expect(throws: PostgresError.self) {
      try await owner.execute(
        "INSERT INTO checkins.entry SELECT * FROM checkins.entry WHERE date = '2031-01-01' LIMIT 1")
    }
    #expect(twice?.sqlState == "23505")
  }
}
