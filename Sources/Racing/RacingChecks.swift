import Engine
import Postgres

/// What `doctor` asks of racing.
enum RacingChecks {
  static let checks: [Check] = [
    Check("ledger") { transaction in
      let books = try await transaction.query(
        "SELECT jsonb_array_length(racing.verify_ledger()->'differences')::bigint"
      )
      .one(Int64.self)
      let chain = try await LedgerChain.doubts(transaction)
      guard books + chain == 0 else {
        let found = [(books, "of balances"), (chain, "of the chain over the journals")].filter { $0.0 > 0 }
        return .init(
          found.map { "\($0.0.counted("difference")) \($0.1)" }.joined(separator: ", "), ok: false,
          remedy: "settlectl ledger verify; stop withdrawals")
      }
      return .init("every balance is the sum of its postings, and nothing doubts the chain over the journals")
    },
    RaceCalendar.check,
    .none(
      "overdue races",
      Self.overdue,
      good: "no race waits longer than it should",
      bad: {
        ($0 < overdueMax ? "" : "at least ") + $0.counted("race is", "races are") + " overdue by more than 10 minutes"
      },
      remedy: "settlectl status, settlectl failures"),
  ]

  /// So many are counted.
  static let overdueMax: Int64 = 1000

  /// Races that did not start, did not end, or were not settled, corrected or refunded in time; each status along its
  /// index, no further than the limit.
  static let overdue: Statement = """
    WITH late AS (SELECT settled.clock() - interval '10 minutes' AS instant)
    SELECT least(count(*), \(overdueMax)) FROM (
      (SELECT id FROM racing.race WHERE status = 'upcoming' AND starts_at < (SELECT instant FROM late)
       ORDER BY starts_at LIMIT \(overdueMax))
      UNION
      (SELECT id FROM racing.race WHERE status = 'active' AND ends_at < (SELECT instant FROM late)
       ORDER BY ends_at LIMIT \(overdueMax))
      UNION
      (SELECT id FROM racing.race WHERE settle_at IS NOT NULL AND settle_at < (SELECT instant FROM late)
       ORDER BY settle_at LIMIT \(overdueMax))
    ) AS overdue
    """
}
