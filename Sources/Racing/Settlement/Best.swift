/// The best score of an athlete in a race, and the activity that names it.
package struct Best: Hashable, Sendable {
  /// In the unit of the race's type, see `RaceType`.
  package let score: Int64
  package let activityId: Int64

  package init(score: Int64, activityId: Int64) {
    self.score = score
    self.activityId = activityId
  }
}
