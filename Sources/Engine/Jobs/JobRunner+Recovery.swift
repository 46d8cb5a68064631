import Postgres

/// After an unclean exit: something may have killed the process, and would again.
///
/// Attempts are counted before their decisions, for a whole batch at once; a batch that ends takes its counts along.
/// Those that stand when the next process begins name the suspects: one of them killed this one. They go one by one,
/// after all others and each counted again, so that the killer alone gathers attempts until it is quarantined, and the
/// rest are cleared as they succeed. Crash recovery ends when nothing is left and there is no suspect. Source:
/// Engine.docc/AfterACrash.md, "Crash recovery".
extension JobRunner {
  /// Reads which items must not go in a batch. Returns the error where that fails.
  func findSuspects() async -> (any Error)? {
    do {
      let rows = try await context.pool.withConnection { [name] connection in
        try await connection.query(FailureStatements.suspects(job: name)).decode(String.self, Bool.self)
      }
      suspects = []
      readySuspects = []
      for (text, isReady) in rows {
        guard let key = J.Key(text) else { continue }
        suspects.append(key)
        if isReady { readySuspects.append(key) }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Those of the suspects that may be tried now, one by one.
  func trySuspects(until stopFlag: StopFlag) async -> BatchResult {
    isRecovering = !suspects.isEmpty
    let leftOut = Set(lockContention.lockedByOthers + doubts.leftOut)
    return await onebyone(readySuspects.filter { !leftOut.contains($0) }, first: nil, until: stopFlag)
  }

  /// Undoes the count of a failed attempt: its cause is not these items, or only one among
  /// many, which are counted again one by one.
  func undoAttempts(_ keys: [J.Key], after error: any Error) async {
    guard keys.count > 1 || ItemFate(of: error) != .counts else { return }
    await context.uncountAttempts(job: name, keys: keys.map(\.description))
  }
}
