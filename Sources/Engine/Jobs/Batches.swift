import Postgres

/// Decides which due items a runner tries next, and what caused a failure; pure.
///
/// A run begins with `begin`. The runner carries out each step that `next` returns, and reports its outcome with
/// `done`, `failed`, `recorded`, `suspected` or `found`. The run ends with `.end`. Source: Engine.docc/Failures.md,
/// "What counts".
package struct Batches<Key: JobKey>: Sendable {
  /// The settings that differ between runners.
  package struct Rules: Sendable {
    /// The most items of a batch.
    package var largest: Int
    /// Batches grow while they take no longer than this; nil: each may have the largest size.
    package var target: Duration?
    /// Whether a batch that finds fewer items than it may take shows that nothing else is due.
    package var endsShort = false
    /// Whether the wait for locked items runs in parallel with the batches. Otherwise locked items come last.
    package var waitsForLocked = true
    /// Whether to count an attempt that may have failed because of the server, if other items succeed.
    package var countsDoubtful = true

    package init(largest: Int, target: Duration? = nil) {
      (self.largest, self.target) = (largest, target)
    }
  }

  package enum Step: Sendable {
    /// Reads which items have counted attempts: `suspected`.
    case findSuspects
    /// Claims up to this many items that are not `leftOut`. `avoidsLocked`: items with rows that others have locked are
    /// not written.
    case batch(limit: Int, avoidsLocked: Bool)
    case alone(Key)
    /// Records a failed attempt of an item: `recorded`. `isCounted` if it was counted before its decision.
    case record(Key, any Error, isCounted: Bool)
    /// Reads which of the longest due items, and which of `among`, are still due: `found`.
    case findLeft(among: [Key])
    case end(RunOutcome)

    /// Whether other lanes may work meanwhile.
    package var isPlainBatch: Bool { if case .batch(_, avoidsLocked: false) = self { true } else { false } }

    /// Whether it looks for what is left after the batches.
    package var isLastLook: Bool { if case .findLeft = self { true } else { false } }
  }

  private enum Phase { case between, round, settling, ended }

  /// One batch; if it fails, its items one by one.
  private struct Round {
    var limit = 0
    var began: Duration = .zero
    /// Items that are to be tried alone.
    var keys: ArraySlice<Key> = []
    /// Why the batch failed.
    var failure: (any Error)?
    var isSplit = false
    var done = 0
    /// Items that stay due.
    var left = 0
    /// How long one batch kept its items locked.
    var lockedFor: Duration?
  }

  /// After this many items that stay due, the rest of a failed batch goes into a batch again: each item costs a wait.
  private static var leftMax: Int { 8 }

  private let job: String
  private let rules: Rules
  private var phase = Phase.ended
  private var size: BatchSize
  private var round = Round()
  private var outcome = RunOutcome(items: 0)
  /// The step that is carried out now.
  private var current: Step?
  /// The step that comes next, before the phase decides.
  private var following: Step?
  private var news: [Observation] = []
  private var doubts = Doubts<Key>()
  /// The failures of this run that the items caused.
  private var own: ArraySlice<Doubts<Key>.Doubt> = []
  private var contention = LockContention<Key>()
  /// Whether attempts are counted before their decisions.
  package private(set) var isRecovering = false
  private var suspects: [Key] = []
  private var readySuspects: [Key] = []
  private var lanes = Lanes()

  package init(_ job: String, _ rules: Rules) {
    (self.job, self.rules) = (job, rules)
    size = BatchSize(largest: rules.largest, target: rules.target)
  }

  /// Items that batches do not claim.
  package var leftOut: [Key] { contention.lockedByOthers + suspects + doubts.leftOut }

  /// Whether no batch is running, so that background work may yield.
  package var isBetweenBatches: Bool { phase == .between }

  /// The observations since the last call.
  package mutating func takeNews() -> [Observation] {
    defer { news = [] }
    return news
  }

  // MARK: A run

  package mutating func begin() {
    size = BatchSize(largest: rules.largest, target: rules.target)
    (phase, outcome, following) = (.between, RunOutcome(items: 0), nil)
    doubts.begin()
    lanes.begin()
  }

  /// The next step. `isStopped`: nothing more is claimed; `room`: the largest number of items to claim.
  package mutating func next(now: Duration, isStopped: Bool = false, room: Int = .max) -> Step {
    let step = choose(now: now, mayClaim: !isStopped && room > 0, room: room)
    current = step
    return step
  }

  private mutating func choose(now: Duration, mayClaim: Bool, room: Int) -> Step {
    while true {
      if let step = following {
        following = nil
        return step
      }
      switch phase {
      case .between:
        guard mayClaim else {
          settle()
          continue
        }
        phase = .round
        round = Round(limit: min(size.items, room), began: now)
        return isRecovering ? .findSuspects : .batch(limit: round.limit, avoidsLocked: false)
      case .round:
        if mayClaim, let key = round.keys.popFirst() { return .alone(key) }
        endRound(now)
      case .settling:
        if let step = settleNext(mayClaim: mayClaim) { return step }
      case .ended: return .end(outcome)
      }
    }
  }

  /// Ends a round that has nothing left to try.
  private mutating func endRoundIfOver(_ now: Duration) {
    guard phase == .round, following == nil else { return }
    if round.keys.isEmpty || round.left >= Self.leftMax || doubts.areEnough { endRound(now) }
  }

  private mutating func endRound(_ now: Duration) {
    let count = round.done + round.left
    phase = .between
    lanes.observe(isFull: round.done == round.limit && !round.isSplit, count: round.done)
    if doubts.areEnough {
      settle()
    } else if count == 0 {
      if !doubts.release() { settle() }
    } else if rules.endsShort, !round.isSplit, count < round.limit {
      settle()
    } else {
      size.observe(count: count, elapsed: round.lockedFor ?? now - round.began)
    }
  }

  private mutating func interrupt(_ error: any Error) {
    _ = doubts.end()
    outcome.interruption = error
    phase = .ended
  }

  // MARK: Outcomes

  /// A claim is committed: its items are done, except those that stay due because other transactions have locked rows
  /// that they need, or because they are not ready.
  package mutating func done(
    _ keys: [Key], locked: Set<Key> = [], notReady: [Key] = [], lockedFor: Duration? = nil, now: Duration
  ) {
    outcome.items += keys.count
    if !keys.isEmpty { doubts.noteSuccess() }
    for key in notReady { doubts.leave(key) }
    guard phase == .round else { return }
    defer { endRoundIfOver(now) }
    round.done += keys.count
    for key in locked where contention.noteLocked(key, now: now) { round.left += 1 }
    round.left += notReady.count
    guard case .batch(_, let avoidsLocked) = current else { return }
    if !keys.isEmpty || !locked.isEmpty || !notReady.isEmpty {
      round.keys = []
      round.lockedFor = lockedFor
    } else if avoidsLocked {
      split(now)
    } else if isRecovering {
      round.keys = trySuspects()
    }
  }

  /// The step failed; `claimed` are the items that a batch had locked.
  package mutating func failed(_ error: any Error, claimed: [Key] = [], now: Duration) {
    defer { endRoundIfOver(now) }
    lanes.close()
    switch current {
    case .batch(_, avoidsLocked: false): batchFailed(error, claimed, now)
    case .batch: if ItemFate(of: error) == .stops { interrupt(error) } else { split(now) }
    case .alone(let key): if phase == .settling { judgeAgain(error, key, now) } else { judge(error, key, now) }
    case .findSuspects, .record: interrupt(error)
    case .findLeft, .end, nil: break
    }
  }

  /// A failed attempt is recorded: its item needs no further step now.
  package mutating func recorded(now: Duration) {
    outcome.items += 1
    round.done += 1
    endRoundIfOver(now)
  }

  /// These items are due after all batches, so others have locked them.
  package mutating func found(left due: [Key], now: Duration) {
    contention.observe(due, now: now)
  }

  /// Has the next run try an item after all others.
  package mutating func postpone(_ key: Key) { doubts.postpone(key) }

  private mutating func batchFailed(_ error: any Error, _ claimed: [Key], _ now: Duration) {
    let fate = ItemFate(of: error)
    switch fate {
    case .counts, .doubtful: break
    case .waits, .spared, .stops: news.append(.contention(job: job, error: error))
    }
    guard !claimed.isEmpty, fate != .stops else {
      if claimed.count == 1 { doubts.postpone(claimed[0]) }
      return interrupt(error)
    }
    (round.keys, round.failure) = (claimed[...], error)
    if fate == .waits, rules.waitsForLocked {
      following = .batch(limit: round.limit, avoidsLocked: true)
    } else {
      split(now)
    }
  }

  /// The items of a failed batch are tried one by one. A single item already was, but is waited for once more.
  private mutating func split(_ now: Duration) {
    guard let failure = round.failure else { return }
    round.isSplit = true
    let waits = ItemFate(of: failure) == .waits && rules.waitsForLocked
    if round.keys.count > 1 {
      news.append(.batchSplit(job: job, items: round.keys.count, error: failure))
    } else if !waits, let key = round.keys.popFirst() {
      judge(failure, key, now)
    }
  }

  /// Decides the cause when an item failed alone.
  private mutating func judge(_ error: any Error, _ key: Key, _ now: Duration) {
    let fate = ItemFate(of: error)
    switch fate {
    case .counts: following = .record(key, error, isCounted: isRecovering)
    case .waits where rules.waitsForLocked:
      if contention.noteLocked(key, now: now) { round.left += 1 } else { round.keys = [] }
    case .waits, .doubtful, .spared:
      doubts.note(key, error, fate)
      round.left += 1
    case .stops:
      doubts.postpone(key)
      interrupt(error)
    }
  }

  // MARK: The end of a run

  private mutating func settle() {
    let (own, ofServer) = doubts.end()
    (self.own, outcome.interruption) = (own[...], ofServer)
    phase = .settling
  }

  private mutating func settleNext(mayClaim: Bool) -> Step? {
    guard outcome.interruption == nil, let doubt = own.popFirst() else {
      phase = .ended
      return outcome.interruption == nil && rules.waitsForLocked ? .findLeft(among: contention.lockedByOthers) : nil
    }
    switch doubt.fate {
    // The server lacked resources for a moment, or does not have enough for this item.
    case .spared where rules.waitsForLocked: return mayClaim ? .alone(doubt.key) : nil
    // The count of an attempt that may have failed because of the server was undone.
    case .doubtful where rules.countsDoubtful: return .record(doubt.key, doubt.error, isCounted: false)
    case .waits, .spared, .doubtful, .counts, .stops: doubts.postpone(doubt.key)
    }
    return nil
  }

  private mutating func judgeAgain(_ error: any Error, _ key: Key, _ now: Duration) {
    switch ItemFate(of: error) {
    case .counts: following = .record(key, error, isCounted: isRecovering)
    case .doubtful: following = .record(key, error, isCounted: false)
    case .waits, .spared: _ = contention.noteLocked(key, now: now)
    case .stops: interrupt(error)
    }
  }

  // MARK: After an unclean exit

  // Something may have killed the process, and would again. So attempts are counted before their decisions, for a whole
  // batch at once; a batch that ends removes its counts. Counts that remain when the next process starts name the
  // suspects: one of them killed the process. Suspects are tried one by one, after all others, and each is counted
  // again. So only the killer accumulates attempts until it is quarantined, and the rest are cleared as they succeed.
  // Crash recovery ends when neither items nor suspects are left. Source: Engine.docc/AfterACrash.md, "Crash recovery".

  package mutating func recoverFromCrash() {
    isRecovering = true
  }

  /// These items have counted attempts, so they must not go into a batch; `ready` may be tried now.
  package mutating func suspected(_ suspects: [Key], ready: [Key]) {
    (self.suspects, readySuspects) = (suspects, ready)
    following = .batch(limit: round.limit, avoidsLocked: false)
  }

  /// The items of a failed attempt whose counts are undone: the cause is none of them, or only one of many, which are
  /// counted again one by one.
  package func uncounted(_ keys: [Key], after error: any Error) -> [Key] {
    isRecovering && (keys.count > 1 || ItemFate(of: error) != .counts) ? keys : []
  }

  /// The suspects that may be tried now, once nothing else is left.
  private mutating func trySuspects() -> ArraySlice<Key> {
    isRecovering = !suspects.isEmpty
    let others = Set(contention.lockedByOthers + doubts.leftOut)
    return readySuspects.filter { !others.contains($0) }[...]
  }
}

/// When other lanes of the node may claim, too.
extension Batches {
  /// The size of a batch of another lane; nil while the run claims alone.
  package var sizeForLanes: BatchSize? { lanes.areOpen && !isRecovering && phase == .between ? size : nil }

  /// The size of the first batch of a lane that watches for items while a batch runs; nil while the run claims alone.
  package var sizeForWatch: BatchSize? {
    lanes.isClosed || isRecovering ? nil : BatchSize(largest: rules.largest, target: rules.target)
  }

  /// A batch of another lane failed, and judged nothing.
  package mutating func laneFailed() { lanes.fail() }
}

/// Items that others have locked: left out of batches, and waited for one at a time in parallel with the batches.
extension Batches {
  /// The result of an unsuccessful wait.
  package enum WaitEnd: Sendable {
    case none
    /// The item failed: its attempt is recorded.
    case record(isCounted: Bool)
    /// A lock or a lack of resources has delayed it for a minute: it is listed.
    case listLocked
    case listSpared
  }

  /// Whether an item may have to be waited for.
  package var hasLocked: Bool { !contention.isEmpty }

  package var lockedByOthers: [Key] { contention.lockedByOthers }

  /// The item to wait for now, if it is time: of the due items, the one that was left out most often.
  package func toWaitFor(in due: [Key]) -> Key? { contention.toWaitFor(in: due) }

  /// An item is done after a wait.
  package mutating func waited(for key: Key) { contention.had(key) }

  package mutating func waited(for key: Key, _ error: any Error, now: Duration) -> WaitEnd {
    switch ItemFate(of: error) {
    case .counts: return .record(isCounted: isRecovering)
    case .waits:
      contention.waitedInVain(key)
      return contention.isLongDelayed(key, now: now) ? .listLocked : .none
    case .spared:
      contention.waitedInVain(key)
      return contention.isLongDelayed(key, now: now) ? .listSpared : .none
    // A batch shows whether other items can be done.
    case .doubtful: contention.release(key)
    case .stops: break
    }
    return .none
  }
}
