import Postgres
import TestSupport
import Testing

@Suite("verify_ledger") struct VerifyLedgerTests {
  /// Two athletes with 10,000 p, one of whom has entered for 100 p.
  private static func books() async throws -> (course: Course, athlete: Int64, race: Int64) {
    let course = try await Course()
    let athlete = try await course.athlete()
    _ = try await course.athlete("Second")
    let race = try await course.race()
    _ = try await course.enter(athlete, race)
    return (course, athlete, race)
  }

  @Test func `verify_ledger finds nothing in books that the contract wrote, and counts them`() async throws {
    let (course, _, _) = try await Self.books()
    try await course.session.expect(
      "racing.verify_ledger()", is: #"{"accounts": 8, "journals": 3, "postings": 6, "differences": []}"#)
  }

  typealias Difference = (account: String, athlete: Int?, stored: Int, computed: Int)

  static let planted: [(plant: String, differences: [Difference])] = [
    ("UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 1", [("wallet", 1, 9901, 9900)]),
    ("UPDATE racing.wallet SET pending_pence = 7 WHERE athlete_id = 2", [("pending", 2, 7, 0)]),
    ("UPDATE racing.wallet SET receivable_pence = 7 WHERE athlete_id = 2", [("receivable", 2, 7, 0)]),
    ("DELETE FROM racing.wallet WHERE athlete_id = 1", [("wallet", 1, 0, 9900)]),
    (
      "UPDATE racing.posting SET amount_pence = -99 WHERE account = 'wallet' AND amount_pence = -100",
      [("wallet", 1, 9900, 9901), ("journal 3", nil, 1, 0)]
    ),
    (
      "DELETE FROM racing.posting WHERE account = 'external' AND journal_id = 2",
      [("journal 2", nil, 10_000, 0)]
    ),
    (
      "UPDATE racing.posting SET account = 'platform', race_id = NULL WHERE account = 'pool'",
      [("pool 1", nil, 0, 100)]
    ),
    ("UPDATE racing.race SET status = 'settled'", [("pool 1", nil, 100, 0)]),
    ("UPDATE racing.race SET status = 'cancelled'", [("pool 1", nil, 100, 0)]),
    ("DELETE FROM racing.entry", [("pool 1", nil, 100, 0)]),
    // No refund is booked yet: the pool holds the fee.
    ("UPDATE racing.entry SET status = 'refunded', is_refunded = true", []),
    (
      "INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at) VALUES (1, 2, 100, now())",
      [("pool 1", nil, 100, 200)]
    ),
    (
      """
      UPDATE racing.wallet SET balance_pence = 5 WHERE athlete_id = 2;
      UPDATE racing.wallet SET pending_pence = 1, balance_pence = 0 WHERE athlete_id = 1;
      UPDATE racing.posting SET amount_pence = 200 WHERE account = 'pool'
      """,
      [
        ("pending", 1, 1, 0), ("wallet", 1, 0, 9900), ("wallet", 2, 5, 10_000), ("journal 3", nil, 100, 0),
        ("pool 1", nil, 200, 100),
      ]
    ),
  ]

  @Test func `verify_ledger finds each difference that was planted behind the guards`() async throws {
    let (course, athlete, race) = try await Self.books()
    try #require([athlete, race] == [1, 1])
    for (plant, differences) in Self.planted {
      let expected = differences.map {
        """
        {"account": "\($0.account)", "athleteId": \($0.athlete.map { "\($0)" } ?? "null"), "stored": \($0.stored),
         "computed": \($0.computed)}
        """
      }
      try await course.session.transaction(commit: false) { transaction in
        try await transaction.script("SET LOCAL session_replication_role = replica; \(plant)")
        try await transaction.expect(
          "racing.verify_ledger() -> 'differences'", is: "[\(expected.joined(separator: ", "))]", "\(plant)")
      }
    }
  }
}
