import Postgres

enum ValidationRows {
  /// The trigger `racing.doubt_validated` makes `under_review` of `verified` where a score is implausible.
  static func write(_ activities: [ValidationJob.Activity]) -> Statement {
    let scores = activities.map { activity in
      switch activity.verdict {
      case .verified(let scores), .rejected(_, let scores): scores
      }
    }
    let reasons = activities.map { activity in
      if case .rejected(let reasons, _) = activity.verdict {
        reasons.map(\.rawValue).joined(separator: ",")
      } else {
        ""
      }
    }
    return """
      UPDATE racing.activity AS a SET
        status = CASE WHEN v.reasons = '' THEN 'verified' ELSE 'rejected' END,
        reasons = string_to_array(v.reasons, ','),
        scored = true,
        top_speed_mm_per_s = v.top_speed, distance_cm = v.distance,
        fastest_1km_ms = v.fastest_1km, fastest_5km_ms = v.fastest_5km
      FROM unnest(\(activities.map(\.id)), \(reasons),
        \(scores.map(\.topSpeed)), \(scores.map(\.furthestDistance)), \(scores.map(\.fastest1km)),
        \(scores.map(\.fastest5km)))
        AS v(id, reasons, top_speed, distance, fastest_1km, fastest_5km)
      WHERE a.id = v.id
      """
  }
}
