import Engine
import Postgres

/// What `doctor` asks of racing.
enum RacingChecks {
  static let checks: [Check] = [
    Check("ledger") { transaction in
      let differences = try await transaction.query(
        "SELECT jsonb_array_length(racing.verify_ledger()->'differences')::bigint"
      ).one(Int64.self)
      return differences == 0
        ? .init("every balance is the sum of its postings")
        : .init("\(differences) differences", ok: false, remedy: "settlectl ledger verify; stop withdrawals")
    },
    RaceCalendar.check,
    .none(
      "overdue races",
      """
      SELECT count(*) FROM racing.race
      WHERE status = 'ended' AND attend_at < settled.clock() - interval '10 minutes'
      """,
      good: "no race waits longer than it should", bad: { "\($0) races are overdue by 10 minutes" },
      remedy: "settlectl status, settlectl failures"),
  ]
}
