import Engine
import TextCoding
package import Money
package import Postgres

/// The effect of settling a race: `race settle` shows it (Racing.docc/Settlement.md, "Dry run and settling by
/// hand").
package struct SettlementPreview: Sendable, Equatable {
  /// Why and until when the race is not settled automatically.
  package struct WaitingFor: Sendable, Equatable {
    package let reason: String
    package let until: Timestamp
    package let activities: [Int64]

    init?(_ decision: SettlementDecision, isOpen: Bool = false) {
      guard case .wait(let reason, let until, let activities) = decision else { return nil }
      self.reason = isOpen ? "end" : reason.rawValue
      self.until = until
      self.activities = activities
    }
  }

  package let raceId: Int64
  /// SHA-256 of the inputs, in hexadecimal.
  package let inputHash: String
  package let result: SettlementResult
  /// All fees that go back with it: those of a void race, and those of disqualified entries that were still owed.
  package let refunded: Pence
  package let waitingFor: WaitingFor?
  /// When it was written; nil for a preview.
  package let settledAt: Timestamp?
}

extension SettlementPreview {
  package var json: JSON {
    var pairs: [(String, JSONValue)] = [
      ("raceId", .integer(raceId)), ("outcome", .text(result.outcome.rawValue)), ("inputHash", .text(inputHash)),
      ("feesPence", .integer(result.fees.amount)), ("platformFeePence", .integer(result.platformFee.amount)),
      ("prizePoolPence", .integer(result.pool.amount)), ("refundedPence", .integer(refunded.amount)),
      ("payouts", result.payoutsJSON),
      ("waitingFor", waitingFor.map(Self.waiting) ?? .null),
    ]
    if let settledAt {
      pairs += [("revision", 1), ("settledAt", .instant(settledAt))]
    }
    return JSONValue.object(pairs).json
  }

  static func waiting(_ waiting: WaitingFor) -> JSONValue {
    [
      "reason": .text(waiting.reason), "until": .instant(waiting.until),
      "activities": .array(waiting.activities.map(JSONValue.integer)),
    ]
  }
}
