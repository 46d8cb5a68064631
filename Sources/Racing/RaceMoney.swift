import Operations
import Postgres

/// The fees that races hold until they are settled or cancelled, for findings and failures.
///
/// Fees that were given back before the settlement are not taken off: it reads no entries.
enum RaceMoney {
  static let all = [
    HeldMoney(job: "race-settlement", ofItems: ofRaces, due: due(toSettle, "t.settle_due_at")),
    HeldMoney(job: "race-lifecycle", ofItems: ofRaces, due: due(toEnd, "t.ends_at")),
    HeldMoney(job: RaceOrderJob.jobName, ofItems: ofRaces, due: ordered),
  ]

  /// The instant is asked once: a volatile function in the condition would keep the index from being used.
  private static let toSettle = "t.settle_due_at <= (SELECT settled.clock())"
  private static let toEnd = "t.status = 'active' AND t.ends_at <= (SELECT settled.clock())"

  private static let pence =
    "CASE WHEN t.status IN ('upcoming', 'active', 'ended') THEN t.entry_fee_pence * t.entry_count ELSE 0 END"

  static func ofRaces(_ keys: [String]) -> Statement {
    """
    SELECT t.id::text, (\(raw: pence))::bigint FROM racing.race AS t WHERE t.id = ANY(\(keys.compactMap { Int64($0) }))
    """
  }

  private static func due(_ condition: String, _ order: String) -> Statement {
    """
    SELECT coalesce(sum(d.pence), 0)::bigint FROM (SELECT \(raw: pence) AS pence FROM racing.race AS t
      WHERE \(raw: condition) ORDER BY \(raw: order) LIMIT \(HeldMoney.itemsMax)) AS d
    """
  }

  /// Without the races of the other two: findings add all three up.
  private static let ordered: Statement = """
    SELECT coalesce(sum(d.pence), 0)::bigint FROM (SELECT \(raw: pence) AS pence
      FROM racing.race_order AS o JOIN racing.race AS t ON t.id = o.race_id
      WHERE o.finished_at IS NULL AND (\(raw: toSettle)) IS NOT TRUE AND (\(raw: toEnd)) IS NOT TRUE ORDER BY o.ordered_at LIMIT \(HeldMoney.itemsMax)) AS d
    """
}
