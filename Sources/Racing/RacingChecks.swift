import Engine
import Operations
import Postgres

/// The checks of `doctor` about racing.
enum RacingChecks {
  static let checks: [Check] = [
    LedgerCheck.check,
    RaceCalendar.check,
    ProblemWatch.proofCheck,
    .none(
      "overdue races",
      Self.overdue,
      good: "no race waits longer than it should",
      bad: {
        ($0 < overdueMax ? "" : "at least ") + $0.counted("race is", "races are") + " overdue by more than 10 minutes"
      },
      remedy: "settlectl status, settlectl failures"),
  ]

  /// The count stops here.
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
      (SELECT id FROM racing.race WHERE settle_due_at IS NOT NULL AND settle_due_at < (SELECT instant FROM late)
       ORDER BY settle_due_at LIMIT \(overdueMax))
    ) AS overdue
    """
}
