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
      "entrants' genders",
      Self.genders,
      good: "no entrant has a different gender at the provider",
      bad: {
        ($0 < overdueMax ? "" : "at least ") + $0.counted("entrant has", "entrants have")
          + " a different gender at the provider"
      },
      remedy: "settlectl person correct, if the profile is wrong"),
    .none(
      "overdue races",
      Self.overdue,
      good: "no race is overdue by more than 10 minutes",
      bad: {
        ($0 < overdueMax ? "" : "at least ") + $0.counted("race is", "races are") + " overdue by more than 10 minutes"
      },
      remedy: "settlectl status, settlectl failures"),
  ]

  /// The counts stop here.
  static let overdueMax: Int64 = 1000

  /// Athletes with a different gender at the provider than in their profile, who have an entry in a race that is not
  /// settled. OFFSET 0 keeps the planner at the few athletes of the index.
  static let genders: Statement = """
    SELECT count(*) FROM (
      SELECT FROM racing.athlete AS a
      WHERE a.provider_gender <> a.gender AND EXISTS (
        SELECT FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
        WHERE e.athlete_id = a.id AND r.status IN ('upcoming', 'active', 'ended') OFFSET 0)
      LIMIT \(overdueMax)
    ) AS differing
    """

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
