import Operations
import Postgres

/// `withdrawal list`: pending withdrawals oldest first, or ended ones newest first.
///
/// Pending ones are found by the wallets that hold pending pence; each wallet's transactions are walked back until they
/// make up the sum. The work grows with what is pending, and not with the ledger.
enum WithdrawalList {
  /// Ended transactions that one page looks at: most of them are withdrawals.
  static let lookedAtMax: Int64 = 10_000

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let page = try ListPage(call)
    switch call.text("status") ?? "pending" {
    case "pending":
      return page.json(
        try await transaction.query(pending(after: page.after ?? 0, limit: page.readMax)).decode(
          Int64.self, JSON.self))
    case let status where ["completed", "failed"].contains(status):
      return try await transaction.query(ended(status, before: page.after ?? .max, limit: page.limit)).one(JSON.self)
    default:
      throw CommandError(.usage, rule: "status", "status must be one of pending, completed, failed")
    }
  }

  /// A row: its key, and the members of the answer.
  static func pending(after: Int64, limit: Int64) -> Statement {
    """
    \(fragment: open)
    SELECT o.id, jsonb_build_object('id', o.id, 'athleteId', o.athlete_id, 'displayName', a.display_name,
      'pence', -o.amount_pence, 'requestedAt', settled.iso(o.occurred_at), 'status', 'pending',
      'waitsMs', greatest(0, floor(extract(epoch FROM settled.clock() - o.occurred_at) * 1000))::bigint)
    FROM (SELECT x.* FROM open AS x WHERE x.id > \(after) ORDER BY x.id LIMIT \(limit)) AS o
    JOIN racing.athlete AS a ON a.id = o.athlete_id ORDER BY o.id
    """
  }

  /// All pending withdrawals, as a clause WITH.
  static let open: Statement = """
    WITH RECURSIVE open (athlete_id, left_pence, id, amount_pence, occurred_at) AS (
      SELECT w.athlete_id, w.pending_pence + p.amount_pence, p.id, p.amount_pence, p.occurred_at
      FROM racing.wallet AS w CROSS JOIN LATERAL (
        SELECT x.id, x.amount_pence, j.occurred_at
        FROM racing.posting AS x JOIN racing.journal AS j ON j.id = x.journal_id
        WHERE x.account = 'wallet' AND x.athlete_id = w.athlete_id AND x.amount_pence < 0 AND j.kind = 'withdrawal'
          AND NOT EXISTS (SELECT FROM racing.transaction_end AS e WHERE e.posting_id = x.id)
        ORDER BY x.id DESC LIMIT 1
      ) AS p
      WHERE w.pending_pence > 0
      UNION ALL
      SELECT o.athlete_id, o.left_pence + p.amount_pence, p.id, p.amount_pence, p.occurred_at
      FROM open AS o CROSS JOIN LATERAL (
        SELECT x.id, x.amount_pence, j.occurred_at
        FROM racing.posting AS x JOIN racing.journal AS j ON j.id = x.journal_id
        WHERE x.account = 'wallet' AND x.athlete_id = o.athlete_id AND x.id < o.id AND x.amount_pence < 0
          AND j.kind = 'withdrawal'
          AND NOT EXISTS (SELECT FROM racing.transaction_end AS e WHERE e.posting_id = x.id)
        ORDER BY x.id DESC LIMIT 1
      ) AS p
      WHERE o.left_pence > 0
    )
    """

  /// The whole answer: a page may have fewer rows than asked for where it looked at many charged-back deposits.
  static func ended(_ status: String, before: Int64, limit: Int64) -> Statement {
    """
    WITH looked AS NOT MATERIALIZED (
      SELECT e.posting_id, e.status, e.ended_at FROM racing.transaction_end AS e
      WHERE e.posting_id < \(before) ORDER BY e.posting_id DESC LIMIT \(lookedAtMax)
    ), found AS MATERIALIZED (
      SELECT p.id, p.athlete_id, p.amount_pence, j.occurred_at, l.ended_at
      FROM looked AS l JOIN racing.posting AS p ON p.id = l.posting_id JOIN racing.journal AS j ON j.id = p.journal_id
      WHERE l.status = \(status) AND p.amount_pence < 0 AND j.kind = 'withdrawal'
      ORDER BY l.posting_id DESC LIMIT \(limit) + 1
    ), page AS (
      SELECT f.* FROM found AS f ORDER BY f.id DESC LIMIT \(limit)
    )
    SELECT jsonb_build_object('rows', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', p.id, 'athleteId', p.athlete_id, 'displayName', a.display_name,
          'pence', -p.amount_pence, 'requestedAt', settled.iso(p.occurred_at), 'status', \(status)::text,
          'waitsMs', greatest(0, floor(extract(epoch FROM p.ended_at - p.occurred_at) * 1000))::bigint)
          ORDER BY p.id DESC)
        FROM page AS p JOIN racing.athlete AS a ON a.id = p.athlete_id), '[]'),
      'next', CASE WHEN (SELECT count(*) FROM found) > \(limit) THEN (SELECT min(p.id) FROM page AS p)::text
        ELSE (SELECT e.posting_id::text FROM racing.transaction_end AS e WHERE e.posting_id < \(before)
          ORDER BY e.posting_id DESC OFFSET \(lookedAtMax) - 1 LIMIT 1) END)
    """
  }
}
