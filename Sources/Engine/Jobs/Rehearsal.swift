import Postgres

/// A batch without items shortly before work falls due: new sessions plan the statements in time, one for each lane.
///
/// It reads nothing, writes nothing and rolls back. So the first commit after the instant does not pay for planning.
extension JobRunner {
  /// How long before the instant it begins.
  private static var lead: Duration { .milliseconds(500) }
  /// A session that has worked within this time is still open, and has its plans.
  private static var freshness: Duration { .seconds(60) }
  /// A second item needs another lane if it falls due so soon after the first.
  private static var pairMax: Duration { .seconds(1) }

  package func announce(_ coming: ComingWork) async {
    guard coming.work == name else { return }
    self.coming = coming
    let due = coming.due
    announced = ServerInstant(coming)
    guard coming.rank == 0, isStale(lastWorked, at: due) || needsLane(coming) else { return }
    if let rehearsedFor, (rehearsedFor - due).components.seconds == 0 { return }
    rehearsedFor = due
    rehearsal?.cancel()
    rehearsal = Task { [weak self, time = context.time] in
      // A cancellation means that another instant is expected, or that the node ends.
      guard (try? await time.sleep(max(.zero, due - Self.lead - time.now()))) != nil else { return }
      await self?.rehearse()
    }
  }

  private func isStale(_ last: Duration?, at due: Duration) -> Bool { last.map { due - $0 > Self.freshness } ?? true }

  /// Whether another lane is expected to work, has no session, and can have one in time.
  private func needsLane(_ coming: ComingWork) -> Bool {
    guard let following = coming.following, following - coming.due < Self.pairMax, lanesAtOnce > 1 else { return false }
    return isStale(lanesReady, at: coming.due) && context.time.now() < coming.due - Self.lead
  }

  private var lanesAtOnce: Int { job.usesLanes ? context.lanes : 1 }

  private func rehearse() async {
    guard !Task.isCancelled else { return }
    let areReady = await withTaskGroup { lanes in
      for _ in 0..<lanesAtOnce { lanes.addTask { await self.rehearseLane() } }
      var areReady = true
      for await isReady in lanes { areReady = areReady && isReady }
      return areReady
    }
    if areReady { lanesReady = context.time.now() }
  }

  /// Whether the lane's session has the plans now. An error here occurs again in the batch, which reports it.
  private func rehearseLane() async -> Bool {
    var opening = LockRequest<J.Key>(limit: 0, textLimit: 1, remembersKeys: job.readsWithClaim)
    // An instant that is past, for which nothing waits.
    opening.notBefore = announced?.at(.zero)
    let dryRun = try? await context.pool.transaction(commit: false) { [job, context, opening] transaction in
      let replies = try await transaction.pipeline(
        Self.opening(job, opening, context) + [
          job.lock(LockRequest(limit: 0, textLimit: 1)),
          job.lock(LockRequest(limit: 0, mode: .peek, textLimit: Self.longestMax)),
          FailureStatements.clear(job: job.name, keys: []),
        ])
      guard let now = try context.gate.admit(replies[2], ignoresClockStop: job.ignoresClockStop) else { return false }
      try await job.rehearse(at: now, in: transaction)
      return true
    }
    return dryRun ?? false
  }
}
