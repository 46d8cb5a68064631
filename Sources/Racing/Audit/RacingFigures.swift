import Operations
import Postgres

/// Racing for metrics: the books, the reviews, the withdrawals.
enum RacingFigures {
  static let all = [
    Figure("settled_ledger_differences", "Ledger differences found by the latest audit.", differences),
    Figure("settled_reviews", "Reviews without a decision.", label: "state", reviews),
    Figure("settled_review_age_seconds", "Age of the oldest review without a decision.", oldestReview),
    Figure("settled_withdrawals_stopped", "Whether an operator has stopped withdrawals.", WithdrawalStop.isStanding),
    Figure("settled_withdrawals_pending", "Athletes with pending withdrawals.", pendingAthletes),
    Figure("settled_withdrawals_pending_pence", "Total amount of pending withdrawals.", pendingPence),
    Figure(
      "settled_withdrawal_age_seconds",
      "Age of the oldest pending withdrawal, among the latest postings of \(athletesMax) athletes.",
      oldestWithdrawal),
  ]

  /// Athletes whose withdrawals are looked through for the oldest one, and how many postings of each.
  static let athletesMax = 100
  static let postingsMax = 200

  static let differences: Statement = "SELECT '', count(*)::double precision FROM racing.ledger_difference"

  static let reviews: Statement = """
    SELECT s.state, (SELECT count(*) FROM racing.review AS r WHERE r.state <> 'decided' AND r.state = s.state)
      ::double precision
    FROM unnest('{open,info_requested}'::text[]) AS s (state)
    """

  static let oldestReview: Statement = """
    SELECT '', coalesce(greatest(0, extract(epoch FROM settled.clock() - min(r.opened_at))), 0)::double precision
    FROM racing.review AS r WHERE r.state <> 'decided'
    """

  static let pendingAthletes: Statement = """
    SELECT '', count(*)::double precision FROM racing.wallet AS w WHERE w.pending_pence > 0
    """

  static let pendingPence: Statement = """
    SELECT '', coalesce(sum(w.pending_pence), 0)::double precision FROM racing.wallet AS w WHERE w.pending_pence > 0
    """

  static let oldestWithdrawal: Statement = """
    SELECT '', coalesce(greatest(0, extract(epoch FROM settled.clock() - min(o.occurred_at))), 0)::double precision
    FROM (SELECT w.athlete_id FROM racing.wallet AS w WHERE w.pending_pence > 0
      ORDER BY w.athlete_id LIMIT \(Int64(athletesMax))) AS w,
    LATERAL (SELECT j.occurred_at FROM (
        SELECT x.id, x.journal_id, x.amount_pence FROM racing.posting AS x
        WHERE x.account = 'wallet' AND x.athlete_id = w.athlete_id ORDER BY x.id DESC LIMIT \(Int64(postingsMax))) AS p
      JOIN racing.journal AS j ON j.id = p.journal_id
      WHERE p.amount_pence < 0 AND j.kind = 'withdrawal'
        AND NOT EXISTS (SELECT FROM racing.transaction_end AS e WHERE e.posting_id = p.id)
      ORDER BY p.id LIMIT 1) AS o
    """
}
