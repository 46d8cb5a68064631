import Postgres
import TestSupport
import Testing

@Suite("The ledger") struct LedgerGuardTests {
  @Test func `the ledger is never changed, even by its owner or without a matching row`() async throws {
    let course = try await Course()
    _ = try await course.athlete()
    for table in ["journal", "posting"] {
      for statement in [
        "UPDATE racing.\(table) SET id = DEFAULT", "UPDATE racing.\(table) SET id = DEFAULT WHERE false",
        "DELETE FROM racing.\(table)", "DELETE FROM racing.\(table) WHERE false", "TRUNCATE racing.\(table) CASCADE",
      ] {
        #expect(try await course.session.tried(statement) == "SD409 append-only", "\(statement)")
      }
    }
  }

  @Test func `a decision's note and reviewer may be erased, and nothing else of it changes`() async throws {
    let course = try await Course()
    _ = try await course.outing(course.athlete(), stravaId: 1)
    try await course.session.script(
      "UPDATE racing.activity SET status = 'verified', scored = true; SELECT racing.review_activity(1, 'disqualify', 'mod', 'motor')"
    )
    for change in [
      "reviewer = 'eve'", "reviewer = 'account 1'", "note = 'rope'", "note = 'erased', reviewer = 'eve'",
      "reviewer = 'erased', note = ''", "decision = 'approve'", "decided_at = now()",
      "measured_hash = ''",
    ] {
      let ended = try await course.session.tried("UPDATE racing.decision SET \(change)")
      #expect(ended == "SD409 append-only", "\(change)")
    }
    for change in ["reviewer = 'erased'", "note = 'erased'", "reviewer = 'erased', note = 'erased'"] {
      #expect(try await course.session.tried("UPDATE racing.decision SET \(change)") == "ok", "\(change)")
    }
  }

  @Test func `the ledger takes only postings that sum to zero`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let cases: [(postings: String, constraint: String?)] = [
      ("('external', 1)", "posting_zero_sum"),
      ("('external', 1), ('platform', -2)", "posting_zero_sum"),
      ("('external', 9223372036854775807), ('platform', 9223372036854775807)", "posting_zero_sum"),
      ("('external', 1), ('platform', -1)", nil),
      ("('external', 2), ('platform', -1), ('platform', -1)", nil),
    ]
    for (postings, constraint) in cases {
      let statement = """
        WITH j AS (\(Self.journal) RETURNING id) INSERT INTO racing.posting (journal_id, account, amount_pence)
        SELECT j.id, p.* FROM j, (VALUES \(postings)) p
        """
      #expect(try await Self.constraint(statement, session) == constraint, "\(postings)")
    }
  }

  @Test func `the ledger sums each journal of a statement separately`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let statement = """
      WITH j AS (INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
        SELECT 'deposit', g::text, '', now() FROM generate_series(1, 2) g RETURNING id)
      INSERT INTO racing.posting (journal_id, account, amount_pence)
      SELECT id, 'external', CASE WHEN row_number() OVER () = 1 THEN 1 ELSE -1 END FROM j
      """
    #expect(try await Self.constraint(statement, session) == "posting_zero_sum")
  }

  @Test func `the ledger takes no posting for the journal of another transaction or for two at once`() async throws {
    let course = try await Course()
    _ = try await course.athlete()
    let late =
      "INSERT INTO racing.posting (journal_id, account, amount_pence) VALUES (1, 'external', 1), (1, 'platform', -1)"
    #expect(try await Self.constraint(late, course.session) == "posting_same_transaction")
    let mixed = """
      WITH j AS (\(Self.journal) RETURNING id) INSERT INTO racing.posting (journal_id, account, amount_pence)
      SELECT i.id, p.* FROM (SELECT id FROM j UNION ALL SELECT 1) i, (VALUES ('external', 1), ('platform', -1)) p
      """
    #expect(try await Self.constraint(mixed, course.session) == "posting_same_transaction")
  }

  private static let journal = """
    INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at) VALUES ('deposit', 'new', '', now())
    """

  /// The constraint that stops the statement, nil where none does.
  private static func constraint(_ statement: String, _ session: Connection) async throws -> String? {
    do {
      try await session.transaction(commit: false) { try await $0.run(statement) }
      return nil
    } catch let error as PostgresError {
      #expect(error.sqlState == "23514", "\(error.debugDescription)")
      return error.constraint
    }
  }
}
