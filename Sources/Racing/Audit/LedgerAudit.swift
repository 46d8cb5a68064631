import Engine
import TextCoding
import Operations
import Scheduling
import Postgres

/// Recomputes the books every night and checks the chain from its start to its end.
///
/// A difference is a problem in health and status until an audit finds none, and an event when it is first seen. The
/// chain's head goes to the system journal, out of reach of a person who rewrites the database.
struct LedgerAudit: Sendable {
  static let name = "ledger-audit"

  /// Ten million journals take minutes.
  private static let timeout: Duration = .seconds(2 * 3600)

  let context: JobContext

  var schedule: BuiltInSchedule {
    BuiltInSchedule(Self.name, cron: "10 2 * * *", timeout: Self.timeout) { _, now, transaction in
      try await run(at: now, in: transaction)
    }
  }

  /// Returns how many differences there are.
  private func run(at now: Timestamp, in transaction: Transaction) async throws -> Int64 {
    // In transactions of its own: the head that is logged below is committed.
    _ = try await context.pool.withDedicatedConnection(timeout: Self.timeout) {
      try await LedgerChain.extend($0, everything: true)
    }
    let head = try await LedgerChain.head(transaction)
    // The sums of the books follow after the last link: one statement, and so one snapshot.
    let chain = try await LedgerChain.differences(
      tell: { try await transaction.execute(RunProgress.tell(Self.name, done: $0, total: $1)) }, transaction)
    let (all, count) = try await transaction.query(LedgerAuditStatements.books(with: chain)).one(JSON.self, Int64.self)
    try await transaction.execute(LedgerAuditStatements.keep(all, at: now))
    if count == 0 {
      try await transaction.execute(ProblemStatements.solve("ledger"))
    } else {
      let problem = "ledger differences: \(count) (settlectl ledger verify)"
      try await transaction.execute(ProblemStatements.state("ledger", problem))
      context.observe(.warning(job: Self.name, key: "ledger", text: problem))
    }
    context.observe(
      .recorded(
        text: KeptHead.record.text,
        fields: ["position": String(head.position), "hash": head.hash, "differences": String(count)]))
    return count
  }
}

enum LedgerAuditStatements {
  /// The differences of the books and of the chain, and how many.
  static func books(with chain: [JSONValue]) -> Statement {
    """
    SELECT d.all, jsonb_array_length(d.all)::bigint
    FROM (SELECT (racing.verify_ledger() -> 'differences') || \(JSONValue.array(chain).json) AS all) AS d
    """
  }

  /// Records the first thousand differences of each kind, removes those that are no more, and emits events for new ones.
  static func keep(_ differences: JSON, at now: Timestamp) -> Statement {
    """
    WITH found AS (
      SELECT DISTINCT ON (finding) finding, d.difference
      FROM jsonb_array_elements(\(differences)) WITH ORDINALITY AS d(difference, place),
        concat_ws('/', d.difference ->> 'account', d.difference ->> 'athleteId', d.difference ->> 'finding',
          (d.difference ->> 'stored')::numeric - (d.difference ->> 'computed')::numeric) AS finding
      WHERE d.place <= 2 * \(LedgerChain.findingsMax)::bigint ORDER BY finding
    ), gone AS (
      DELETE FROM racing.ledger_difference AS k WHERE NOT EXISTS (SELECT FROM found AS f WHERE f.finding = k.finding)
    ), new AS (
      INSERT INTO racing.ledger_difference (finding, difference, found_at)
      SELECT f.finding, f.difference, \(now) FROM found AS f
      ON CONFLICT (finding) DO NOTHING RETURNING difference
    )
    INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT 'ledger.difference', n.difference ->> 'account', n.difference, \(now) FROM new AS n
    """
  }
}
