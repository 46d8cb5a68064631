import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Doctor's check of the ledger")
struct LedgerCheckTests {
  /// Deposits, written past the guards; each athlete has ten of them. None is in the chain.
  private static func books(_ deposits: Int) async throws -> Course {
    let course = try await Course()
    try await course.session.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
      SELECT 'deposit', g::text, 'Deposit', settled.clock() FROM generate_series(1, \(deposits)) AS g;
      INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
      SELECT g.n, p.* FROM generate_series(1, \(deposits)) AS g(n), LATERAL (VALUES
        ('external', NULL, -5, NULL), ('wallet', (g.n - 1) / 10 + 1, 5, ((g.n - 1) % 10 + 1) * 5)) AS p
      ORDER BY g.n;
      INSERT INTO racing.wallet (athlete_id, balance_pence) SELECT g, 50 FROM generate_series(1, \(deposits / 10)) AS g;
      SET session_replication_role = DEFAULT;
      ANALYZE racing.journal, racing.posting, racing.wallet;
      """)
    return course
  }

  @Test func `doctor's check of the ledger reads as much of a long ledger as of a short one`() async throws {
    var touched: [Int] = []
    for size in [1000, 20_000] {
      let course = try await Self.books(size)
      touched.append(try await course.session.pagesTouched(LedgerCheck.newest(200)))
    }
    #expect(touched[1] < touched[0] * 2, "\(touched)")
  }

  /// A change by somebody who is above triggers, to the newest of 200 deposits, and the
  /// number of differences that are seen.
  static let deeds: [(deed: String, seen: Int64)] = [
    ("", 0),
    ("UPDATE racing.wallet SET balance_pence = 51 WHERE athlete_id = 20", 1),
    ("UPDATE racing.posting SET amount_pence = 6 WHERE journal_id = 195 AND account = 'wallet'", 2),
    ("UPDATE racing.posting SET balance_pence = 51 WHERE journal_id = 200 AND account = 'wallet'", 2),
    ("DELETE FROM racing.posting WHERE journal_id = 199 AND account = 'external'", 1),
    ("DELETE FROM racing.wallet WHERE athlete_id = 20", 1),
    // Too old to be seen here: the audit's.
    ("UPDATE racing.wallet SET balance_pence = 51 WHERE athlete_id = 1", 0),
  ]

  @Test func `doctor's check of the ledger sees differences in the newest postings, at any boundary`() async throws {
    let course = try await Self.books(200)
    for window in [40, 41, 400, 1000] as [Int64] {
      for (deed, seen) in Self.deeds where window < 100 || !deed.hasSuffix("athlete_id = 1") {
        try await course.session.transaction(commit: false) { transaction in
          try await transaction.script("SET LOCAL session_replication_role = replica; \(deed)")
          let found = try await transaction.query(LedgerCheck.newest(window)).one(Int64.self, Int64.self)
          #expect(
            found == (min(window, 400) - (deed.hasPrefix("DELETE FROM racing.posting") && window > 399 ? 1 : 0), seen),
            "\(window): \(deed)")
        }
      }
    }
  }

  @Test func `doctor's check of the ledger takes old postings from the last audit, and shows its date`() async throws {
    let course = try await Course()
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()])
    let ask = { try await course.database.pool().transaction { try await LedgerCheck.finding(newestMax: 2, $0) } }
    for number in 1...3 { _ = try await course.athlete("Athlete \(number)") }
    try await own.pass(to: "2031-06-03T02:10:00Z")
    let good = try await ask()
    #expect(good.isOk)
    #expect(
      good.finding
        == "the audit of 2031-06-03T02:10:00.000Z found no difference, and the newest 2 postings and 2 links of the chain add up"
    )
    // An old wallet: only an audit sees it.
    try await course.session.script("UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 1")
    #expect(try await ask().isOk)
    try await own.pass(to: "2031-06-04T02:10:00Z")
    let bad = try await ask()
    #expect(!bad.isOk && bad.finding == "1 difference that the audit of 2031-06-04T02:10:00.000Z found")
    try await course.session.script("UPDATE racing.wallet SET balance_pence = balance_pence - 1 WHERE athlete_id = 1")
    try await own.pass(to: "2031-06-05T02:10:00Z")
    #expect(try await ask().isOk)
  }
}
