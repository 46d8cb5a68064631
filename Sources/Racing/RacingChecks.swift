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
      """
      SELECT count(*) FROM racing.race
      WHERE status = 'ended' AND attend_at < settled.clock() - interval '10 minutes'
      """,
      good: "no race waits longer than it should",
      bad: { $0.counted("race is", "races are") + " overdue by more than 10 minutes" },
      remedy: "settlectl status, settlectl failures"),
  ]
}
