/// What becomes of a pending activity.
///
/// Source: rules/racing.md, Activities, "Validation job".
package enum ValidationDecision: Hashable, Sendable {
  case verified(Scores)
  /// Every reason that applies, in the order of `RejectionReason`; never empty. The scores count if a review approves it.
  case rejected([RejectionReason], Scores)

  package init(_ input: ValidationInput, territory: Territory = .unitedKingdom) {
    let reasons = RejectionReason.allCases.filter { Self.applies($0, to: input, territory) }
    let scores = Scores(input.measures)
    self = reasons.isEmpty ? .verified(scores) : .rejected(reasons, scores)
  }

  /// A location that is absent is a matter of `gps` alone; one that is present is judged by itself.
  private static func applies(_ reason: RejectionReason, to input: ValidationInput, _ territory: Territory) -> Bool {
    let locations = [input.startLocation, input.endLocation].compactMap { $0 }
    return switch reason {
    case .type: !["Canoeing", "Kayaking"].contains(input.activityType)
    case .gps: locations.count < 2 || !input.hasTrack
    case .uk: !locations.allSatisfy(territory.contains)
    }
  }
}
