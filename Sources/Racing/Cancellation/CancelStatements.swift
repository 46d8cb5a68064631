import Engine
import TextCoding
import Money
import Postgres

enum CancelStatements {
  /// The entries whose fee has not gone back: also of those disqualified whose refund is not booked yet.
  static func fees(_ race: Int64) -> Statement {
    """
    SELECT id, athlete_id, fee_pence FROM racing.entry WHERE race_id = \(race) AND NOT is_refunded ORDER BY id
    """
  }

  static func entries(_ ids: [Int64]) -> Statement {
    """
    UPDATE racing.entry SET is_refunded = true,
      status = CASE status WHEN 'disqualified' THEN 'disqualified' ELSE 'refunded' END
    WHERE id = ANY(\(ids)) AND status IN ('entered', 'disqualified') AND NOT is_refunded
    """
  }

  static func race(_ race: Int64) -> Statement {
    """
    UPDATE racing.race SET status = 'cancelled', waiting_activities = '{}', correction_due_at = NULL WHERE id = \(race)
    """
  }

  static func event(_ race: Int64, reason: String, refunded: Pence, at now: Timestamp) -> Statement {
    let payload: JSONValue = [
      "raceId": .integer(race), "reason": .text(reason), "refundedPence": .integer(refunded.amount),
    ]
    return EventStatements.emit(topic: "race.cancelled", keys: [String(race)], payloads: [payload.serialized], at: now)
  }
}
