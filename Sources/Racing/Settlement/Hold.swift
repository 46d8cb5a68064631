import Postgres

/// The wait of a race that is due: for reviews of held activities, or for the provider's word on claims and on entrants
/// who are not listed.
///
/// The score of a claim is unknown, and so is that of an entrant who is not listed. So each counts as one held activity
/// that may have any score, or none. Source:
/// Racing.docc/Holds.md.
struct Hold {
  private let input: SettlementInput
  /// Whether the race would be void, which is final: then no hold of a claim or a listing ends before that of reviews.
  private let isVoid: Bool

  init(_ input: SettlementInput) {
    self.input = input
    isVoid = input.entries.allSatisfy { $0.minScore == nil }
  }

  /// Nil where nothing that is held can change a payout.
  ///
  /// It waits for claims and listings alone where reviews alone do not make it wait: then the claims named can change a
  /// payout by themselves. Otherwise it names what is held of both kinds.
  var wait: SettlementDecision? {
    let waiting = athletes(at: input.now)
    guard !waiting.isEmpty else { return nil }
    let claims = input.claims.filter { holds($0, at: input.now) && waiting.contains($0.athleteId) }.map(\.id)
    if athletes(at: input.now, claims: false).isEmpty {
      let untils = input.claims.map(\.until) + input.unlisted.map(\.until)
      let ends = Set(untils.map(end).filter { $0 > input.now }).sorted()
      // A hold that ends makes nobody else wait.
      let waits = ends.prefixCount { !athletes(at: $0).isEmpty }
      let until = waits < ends.count ? ends[waits] : input.holdUntil
      return .wait(.provider, until: until, activities: claims.sorted())
    }
    let held = input.held.filter { waiting.contains($0.athleteId) }.map(\.id)
    return .wait(.review, until: input.holdUntil, activities: (held + claims).sorted())
  }

  /// The athletes who make the race wait at an instant.
  private func athletes(at instant: Timestamp, claims: Bool = true) -> Set<Int64> {
    guard instant < input.holdUntil else { return [] }
    let claimants =
      claims
      ? Set(input.claims.filter { holds($0, at: instant) }.map(\.athleteId))
        .union(input.unlisted.filter { instant < end($0.until) }.map(\.athleteId)) : []
    return HoldRule(input.entries, claimants: claimants, type: input.type).waitingAthletes
  }

  private func holds(_ claim: HeldClaim, at instant: Timestamp) -> Bool { instant < end(claim.until) }

  private func end(_ until: Timestamp) -> Timestamp { isVoid ? input.holdUntil : min(until, input.holdUntil) }
}
