package import Postgres

/// The decision of the flag-escalation job: what becomes of an activity with many
/// flags, or of a review without an answer.
///
/// Pure. Source: Racing.docc/Moderation.md.
package struct Escalation: Hashable, Sendable {
  /// The state of an activity, read under its lock.
  package struct Input: Hashable, Sendable {
    package struct Review: Hashable, Sendable {
      package let id: Int64
      package let level: Int
      package let openedAt: Timestamp
      /// The instants of its reminders: the first raises it to level 1, and so on.
      package let reminders: [Timestamp]

      package init(id: Int64, level: Int, openedAt: Timestamp, reminders: [Timestamp]) {
        self.id = id
        self.level = level
        self.openedAt = openedAt
        self.reminders = reminders
      }
    }

    package let activityId: Int64
    package let athleteId: Int64
    /// The open flags that count.
    package let flagCount: Int
    /// Pending or verified: it may come under review.
    package let isFree: Bool
    /// The flags that bring it under review at present.
    package let threshold: Int
    /// The review that is open.
    package let review: Review?

    package init(
      activityId: Int64, athleteId: Int64, flagCount: Int, isFree: Bool, threshold: Int, review: Review?
    ) {
      self.activityId = activityId
      self.athleteId = athleteId
      self.flagCount = flagCount
      self.isFree = isFree
      self.threshold = threshold
      self.review = review
    }
  }

  package let activity: Input
  /// Whether the activity moves to under_review.
  package let moves: Bool
  /// Whether a review is opened, at level 0.
  package let opens: Bool
  /// The levels that an open review reaches now, each with its own event and warning; a request for information is no
  /// answer.
  package let levels: [Int]

  package init(_ activity: Input, at now: Timestamp) {
    self.activity = activity
    moves = activity.isFree && activity.flagCount >= activity.threshold
    opens = moves && activity.review == nil
    if let review = activity.review {
      let reached = review.reminders.count { $0 <= now }
      levels = reached > review.level ? Array(review.level + 1...reached) : []
    } else {
      levels = []
    }
  }

  package var warnings: [String] {
    levels.map {
      "the review of activity \(activity.activityId), opened \(activity.review?.openedAt.description ?? "now"), "
        + "has no decision: level \($0)"
    }
  }
}
