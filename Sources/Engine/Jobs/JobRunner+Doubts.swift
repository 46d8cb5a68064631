import Postgres

/// The end of a run's doubts: see `Doubts`.
extension JobRunner {
  /// Records the failures that are the items' own; adds the items to `outcome`, and the error that pauses the job.
  func settleDoubts(_ outcome: inout RunOutcome, until stopFlag: StopFlag) async {
    let (own, failure) = doubts.end()
    outcome.interruption = failure
    for doubt in own {
      do {
        // The server had too little for a moment, or has too little for this item.
        guard doubt.fate == .spared else { throw doubt.error }
        guard !stopFlag.isRequested else { continue }
        outcome.items += try await attempt(limit: 1, only: doubt.key, claimed: Claimed()).done.count
      } catch {
        switch ItemFate(of: error) {
        case .counts, .doubtful:
          // The count of an attempt that may have failed by the server's fault was undone.
          let isCounted = isRecovering && ItemFate(of: error) == .counts
          if let failure = await record(error, of: doubt.key, isCounted: isCounted) { outcome.interruption = failure }
          outcome.items += 1
        case .waits, .spared: _ = lockContention.noteLocked(doubt.key, now: context.time.now())
        case .stops: outcome.interruption = error
        }
        if outcome.interruption != nil { return }
      }
    }
  }
}
