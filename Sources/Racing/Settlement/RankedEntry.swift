package import Money

/// Where an entry stands.
package struct RankedEntry: Hashable, Sendable {
  package let entryId: Int64
  package let athleteId: Int64
  /// Competition ranking (1, 2, 2, 4); nil without a score.
  package let rank: Int?
  package let score: Int64?
  package let activityId: Int64?
  package let prize: Pence
}
