import Postgres
import TestSupport
import Testing

@Suite("Verifying a ledger")
struct LargeLedgerTests {
  /// So many races that are settled, and as many athletes with a deposit.
  private static func books(_ count: Int) async throws -> Course {
    let course = try await Course()
    try await course.session.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, next_check_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, created_at)
      SELECT 'top_speed', 'daily', 'senior_men', at, at + interval '1 day', at + interval '25 hours',
        at + interval '25 hours', 100, 1, '{75,20,5}', '3 hours', '72 hours', 'settled', at
      FROM generate_series(1, \(count)) AS g, LATERAL (SELECT settled.clock() - g * interval '1 minute') AS t(at);
      INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
      SELECT 'deposit', g::text, 'Deposit', settled.clock() FROM generate_series(1, \(count)) AS g;
      INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
      SELECT g, p.* FROM generate_series(1, \(count)) AS g, LATERAL (VALUES
        ('external', NULL, -5, NULL), ('wallet', g, 5, 5)) AS p;
      INSERT INTO racing.wallet (athlete_id, balance_pence) SELECT g, 5 FROM generate_series(1, \(count)) AS g;
      SET session_replication_role = DEFAULT;
      ANALYZE racing.race, racing.journal, racing.posting, racing.wallet;
      SET work_mem = '64kB';
      """)
    return course
  }

  @Test func `verifying a ledger costs ten times as much for ten times the races, not a hundred times`() async throws {
    var touched: [Int] = []
    for size in [1000, 10_000] {
      let course = try await Self.books(size)
      let differences = try await course.session.query(
        "SELECT jsonb_array_length(racing.verify_ledger() -> 'differences')::bigint"
      ).one(Int64.self)
      #expect(differences == 0)
      touched.append(try await course.session.pagesTouched("SELECT racing.verify_ledger()"))
    }
    #expect(touched[1] < touched[0] * 20, "\(touched)")
  }
}
