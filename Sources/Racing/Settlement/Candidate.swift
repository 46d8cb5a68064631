package import Postgres

/// An activity that may count for an entry: inside the race's window and imported in time.
package struct Candidate: Hashable, Sendable {
  package let activityId: Int64
  package let score: Int64
  package let startedAt: Timestamp
  package let stravaId: Int64
  /// Whether it counts only if a later validation or review lets it.
  package let isHeld: Bool

  package init(activityId: Int64, score: Int64, startedAt: Timestamp, stravaId: Int64, isHeld: Bool) {
    self.activityId = activityId
    self.score = score
    self.startedAt = startedAt
    self.stravaId = stravaId
    self.isHeld = isHeld
  }
}

extension Best {
  /// The best of the candidates; equal scores are named by the earlier start, then the lower Strava id.
  package init?(of candidates: [Candidate], type: RaceType) {
    let best = candidates.max { left, right in
      if left.score != right.score { return type.isBetter(right.score, than: left.score) }
      return (right.startedAt, right.stravaId) < (left.startedAt, left.stravaId)
    }
    guard let best else { return nil }
    self.init(score: best.score, activityId: best.activityId)
  }
}
