import Testing

@Suite("Screens show what the socket answers") struct ShownMemberTests {
  /// With the reason why no screen shows it.
  private static let left: Set<String> = [
    // The header's clock and the page's own present.
    "status.now", "timeline.now",
    // `findings` has them with more.
    "status.problems",
    // Of pages that are full: the cursor of their last row.
    "occurrences.cursor", "audit.log.cursor",
    // The page is about it.
    "occurrences.schedule", "race.show.id", "race.preview.raceId", "review.show.activity.id", "athlete.show.id",
    "ledger.journal.id", "activity.show.athleteId", "activity.show.displayName", "activity.show.status",
    // Of a settlement that is done, `race.show` has them.
    "race.preview.revision", "race.preview.settledAt",
    // Entries stand by their athletes.
    "review.show.affected.now.payouts.entryId", "review.show.affected.approve.payouts.entryId",
    "review.show.affected.disqualify.payouts.entryId",
    // People are found by them.
    "review.show.affected.people.entryId", "review.show.affected.people.athleteId",
    // `review.show` has them.
    "activity.show.movingMs", "activity.show.elapsedMs", "activity.show.startedAt", "activity.show.type",
    "activity.show.deletedAt", "activity.show.forgottenAt",
    // The best five kilometres are drawn, unless the race is of one.
    "activity.show.best.km1.fromMetre", "activity.show.best.km1.toMetre", "activity.show.best.km1.ms",
  ]

  /// The queue names its activities; the rest stands on the page of each.
  private static func isOfQueue(_ path: String) -> Bool {
    [
      "review.list.activity.", "review.list.flags.", "review.list.bounds.", "review.list.state",
      "review.list.deletedAt",
      "review.list.forgottenAt",
    ]
    .contains { path.hasPrefix($0) }
  }

  /// `review.show` has the same flags.
  private static func isDecidedFlag(_ path: String) -> Bool { path.hasPrefix("activity.show.decidedFlags") }

  /// The preview has the same, and the screen shows the split where there is no preview.
  private static func isOfSplit(_ path: String) -> Bool { path.hasPrefix("race.show.split.") }

  @Test func `each member of an answer is shown, or is on the list of those that are not`() {
    let unshown = ShownMembers.unshown().filter { !Self.left.contains($0) && !Self.isOfQueue($0) }
    #expect(unshown.filter { !Self.isOfSplit($0) && !Self.isDecidedFlag($0) } == [])
  }
}
