import Simulation

/// Histories of which random ones come by seldom.
enum DirectedHistories {
  private static let hour = Instant.hour(-1)

  /// No node asks for notifications.
  private static let unmarked: [Act] = [
    .run(.a, .setNeedsNotify("a", false)), .run(.b, .beat("b", state: "ready", needsNotify: false)),
  ]

  private static func claim(_ slot: Slot, _ mode: DatabaseModel.Claim.Mode = .skipLocked, only key: Int64? = nil) -> Act
  {
    .run(slot, .claim(.init("chore", limit: 1, mode: mode, only: key)))
  }

  private static func write(_ slot: Slot, _ key: Int64) -> Act {
    .run(slot, .schedule(job: "chore", key: key, dueAt: hour))
  }

  static let all: [[Act]] = [
    // A transaction that clears the mark reads it as cleared; nobody else does before the commit.
    unmarked + [
      .run(.a, .setNeedsNotify("a", true)), .begin(.a), .run(.a, .setNeedsNotify("a", false)),
      .run(.a, .clearFailures(job: "chore", keys: [1])), write(.app, 6), .commit(.a), write(.app, 6),
    ],
    // A transaction that sets the mark and is rolled back.
    unmarked + [
      .begin(.a), .run(.a, .setNeedsNotify("a", true)), .run(.a, .clearFailures(job: "chore", keys: [1])),
      .rollback(.a), .begin(.a), .run(.a, .setNeedsNotify("a", true)),
      .run(.a, .clearFailures(job: "chore", keys: [1])), .commit(.a),
    ],
    // A writer who reads the mark before its commit, and whose id is above every one that has ended.
    unmarked + [
      .begin(.a), .run(.a, .setNeedsNotify("a", true)), .begin(.app), write(.app, 6), .commit(.a),
      .run(.b, HistoryGenerator.poll), .commit(.app), .run(.b, HistoryGenerator.poll),
    ],
    // A row that is deleted and inserted again while a claim waits for it.
    [
      .begin(.app), .run(.app, .remove(job: "chore", key: 1)), write(.app, 1), claim(.a, .wait, only: 1),
      .commit(.app), claim(.a, only: 1),
    ],
    // A row that does not qualify any more stays locked by the claim that waited for it.
    [
      .begin(.app), .run(.app, .finish(job: "chore", keys: [1])), .begin(.a), claim(.a, .wait, only: 1),
      .commit(.app), .run(.app, .remove(job: "chore", key: 1)), .commit(.a),
    ],
    // A commit whose answer is lost.
    [
      .begin(.a), claim(.a), .run(.a, .finish(job: "chore", keys: [1])), .run(.a, .notify("x")), .loseCommit(.a),
      claim(.b),
    ],
    // A lease that is given back and taken again while a reply waits for it.
    [
      .begin(.a), .run(.a, .claim(.init("errand", limit: 1, isLeased: true))),
      .run(.a, .takeLeases(job: "errand", keys: [1], owner: "a")), .commit(.a), .begin(.b), .begin(.second),
      .run(.b, .takeAway(job: "errand", generations: [1])),
      .run(.b, .takeLeases(job: "errand", keys: [1], owner: "b")),
      .run(.second, .lockLease(job: "errand", key: 1, generation: 1)), .commit(.b), .commit(.second),
    ],
  ]
}
