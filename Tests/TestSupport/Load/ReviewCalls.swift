import Postgres

/// Flags of a few activities, and a reviewer who decides on them: both are refused where it is not their turn.
package enum ReviewCalls {
  private static let activities: Int64 = 40

  package static func script(_ athletes: [Int64]) -> LoadScript {
    { _, random in
      let activity = Int64.random(in: 1...activities, using: &random)
      let athlete = athletes.randomElement(using: &random) ?? 0
      guard Int.random(in: 0..<4, using: &random) == 0 else {
        return LoadCall(
          "flag", "SELECT 1::bigint FROM racing.flag_activity(\(activity), \(athlete), 'suspicious_speed', 'too fast')")
      }
      let decision = ["approve", "approve", "disqualify", "request_info"].randomElement(using: &random) ?? ""
      return LoadCall(
        "review", "SELECT 1::bigint FROM racing.review_activity(\(activity), \(decision), 'a reviewer', 'seen')")
    }
  }
}
