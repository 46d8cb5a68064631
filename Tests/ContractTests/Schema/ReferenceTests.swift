import Postgres
import TestSupport
import Testing

@Suite("References of the ledger") struct ReferenceTests {
  /// Race 1 with entry 1 of athlete 1 is settled; athlete 2 is nobody's entrant, race 2 nobody's race.
  private static func world() async throws -> Course {
    let course = try await Course()
    let athlete = try await course.athlete()
    _ = try await course.athlete("Second")
    let race = try await course.race()
    let entry = try await course.enter(athlete, race)
    let other = try await course.race(type: "fastest_1km")
    try #require([athlete, race, entry, other] == [1, 1, 1, 2])
    try await course.session.run(
      """
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
        prize_pool_pence, input_hash, counted_activities, held_activities)
      VALUES (1, 1, 'paid', now(), 100, 1, 99, '', '{}', '{}'), (2, 1, 'paid', now(), 100, 1, 99, '', '{}', '{}')
      """)
    return course
  }

  /// Postings are written beside one of the platform that makes the sum zero.
  static let postings: [(posting: String, isTaken: Bool)] = [
    ("'wallet', 1, NULL, NULL, 5, 5", true), ("'wallet', 1, NULL, 1, 5, 5", true),
    ("'pool', NULL, 1, NULL, 5, NULL", true), ("'pool', NULL, 1, 1, 5, NULL", true),
    ("'wallet', 99, NULL, NULL, 5, 5", false), ("'pending', 99, NULL, NULL, 5, NULL", false),
    ("'pool', NULL, 99, NULL, 5, NULL", false), ("'wallet', 1, NULL, 99, 5, 5", false),
    // The entry exists, but is another's.
    ("'wallet', 2, NULL, 1, 5, 5", false), ("'pool', NULL, 2, 1, 5, NULL", false),
  ]

  @Test func `a posting references an existing athlete, race and entry of both`() async throws {
    let course = try await Self.world()
    for (posting, isTaken) in Self.postings {
      let constraint = try await Self.constraint(
        """
        WITH j AS (INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
          VALUES ('deposit', 'new', '', now()) RETURNING id)
        INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
        SELECT j.id, p.* FROM j, (VALUES (\(posting)),
          ('platform', NULL::bigint, NULL::bigint, NULL::bigint, -5, NULL::bigint)) AS p
        """, course)
      #expect(constraint == (isTaken ? nil : "posting_references"), "\(posting)")
    }
  }

  static let payouts: [(payout: String, isTaken: Bool)] = [
    ("1, 1, 1, 1, 1, 5", true), ("1, 2, 1, 1, 1, 5", false), ("99, 1, 1, 1, 1, 5", false),
    ("1, 1, 1, 99, 1, 5", false), ("1, 1, 1, 1, 2, 5", false), ("2, 1, 1, 1, 1, 5", false),
  ]

  @Test func `a payout references an existing settlement and an entry of its race and athlete`() async throws {
    let course = try await Self.world()
    for (payout, isTaken) in Self.payouts {
      let constraint = try await Self.constraint(
        """
        INSERT INTO racing.payout (race_id, revision, place, entry_id, athlete_id, amount_pence) VALUES (\(payout))
        """, course)
      #expect(constraint == (isTaken ? nil : "payout_references"), "\(payout)")
    }
  }

  @Test(arguments: ["athlete", "race", "entry"])
  func `rows that the ledger references cannot be deleted, even by their owner`(table: String) async throws {
    let course = try await Self.world()
    for statement in [
      "DELETE FROM racing.\(table)", "DELETE FROM racing.\(table) WHERE false", "TRUNCATE racing.\(table) CASCADE",
      "UPDATE racing.\(table) SET id = DEFAULT WHERE false",
    ] {
      #expect(try await course.session.tried(statement) == "SD409 append-only", "\(statement)")
    }
  }

  /// The constraint that stops the statement, nil where none does.
  private static func constraint(_ statement: String, _ course: Course) async throws -> String? {
    do {
      try await course.session.transaction(commit: false) { try await $0.run(statement) }
      return nil
    } catch let error as PostgresError {
      #expect(error.sqlState == "23503", "\(error.debugDescription)")
      return error.constraint
    }
  }
}
