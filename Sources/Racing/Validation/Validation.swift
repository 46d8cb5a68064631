/// The decision of the activity-validation job: what becomes of a pending activity.
///
/// Pure. Source: Racing.docc/Activities.md, "Validation".
package enum Validation: Hashable, Sendable {
  case verified(Scores)
  /// Every reason that applies, in the order of `RejectionReason`; never empty. The
  /// scores count if a review approves it.
  case rejected([RejectionReason], Scores)

  package init(_ input: Input, territory: Territory = .unitedKingdom) {
    let reasons = RejectionReason.allCases.filter { Self.applies($0, to: input, territory) }
    let scores = Scores(input.measures)
    self = reasons.isEmpty ? .verified(scores) : .rejected(reasons, scores)
  }

  /// A location that is absent is a matter of `gps` alone; one that is present is judged alone.
  private static func applies(_ reason: RejectionReason, to input: Input, _ territory: Territory) -> Bool {
    let locations = [input.startLocation, input.endLocation].compactMap { $0 }
    return switch reason {
    case .type: !["Canoeing", "Kayaking"].contains(input.activityType)
    case .gps: locations.count < 2 || !input.hasTrack
    case .uk: !locations.allSatisfy(territory.contains)
    }
  }
}

extension Validation {
  /// The facts about a pending activity when it is validated.
  package struct Input: Hashable, Sendable {
    package var activityType: String
    package var startLocation: Location?
    package var endLocation: Location?
    /// Whether there is a polyline that is not empty.
    package var hasTrack: Bool
    package var measures: ActivityMeasures

    package init(
      activityType: String, startLocation: Location?, endLocation: Location?, hasTrack: Bool, measures: ActivityMeasures
    ) {
      self.activityType = activityType
      self.startLocation = startLocation
      self.endLocation = endLocation
      self.hasTrack = hasTrack
      self.measures = measures
    }
  }
}

/// Why an activity was rejected; raw values are those of the contract, cases stand in the order they are shown.
package enum RejectionReason: String, CaseIterable, Sendable {
  /// Neither canoeing nor kayaking.
  case type
  /// No start or no end coordinates, or an empty track.
  case gps
  /// Started or ended outside of the United Kingdom.
  case uk
}
