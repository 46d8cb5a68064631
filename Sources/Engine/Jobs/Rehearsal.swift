import Postgres

/// A batch without items shortly before work falls due: a new session plans the statements in time.
///
/// It reads nothing, writes nothing and rolls back. So the first commit after the instant does not pay for planning.
extension JobRunner {
  /// How long before the instant it begins.
  private static var lead: Duration { .milliseconds(500) }
  /// A session that has worked within this time is still open, and has its plans.
  private static var freshness: Duration { .seconds(60) }

  private struct End: Error {}

  package func announce(_ coming: ComingWork) async {
    guard coming.work == name else { return }
    self.coming = coming
    let due = coming.due
    announced = ServerInstant(coming)
    guard coming.rank == 0, lastWorked.map({ due - $0 > Self.freshness }) ?? true else { return }
    if let rehearsedFor, (rehearsedFor - due).components.seconds == 0 { return }
    rehearsedFor = due
    rehearsal?.cancel()
    rehearsal = Task { [weak self, time = context.time] in
      // A cancellation means that another instant is expected, or that the node ends.
      guard (try? await time.sleep(max(.zero, due - Self.lead - time.now()))) != nil else { return }
      await self?.rehearse()
    }
  }

  /// An error here occurs again in the batch, which reports it.
  private func rehearse() async {
    guard !Task.isCancelled else { return }
    var opening = LockRequest<J.Key>(limit: 0, textLimit: 1, remembersKeys: job.readsWithClaim)
    opening.notBefore = announced
    _ = try? await context.pool.transaction { [job, context, opening] transaction in
      let replies = try await transaction.pipeline(
        Self.opening(job, opening, context) + [
          job.lock(LockRequest(limit: 0, textLimit: 1)),
          job.lock(LockRequest(limit: 0, mode: .peek, textLimit: Self.longestMax)),
          FailureStatements.clear(job: job.name, keys: []),
        ])
      if let now = try context.gate.admit(replies[2], ignoresClockStop: job.ignoresClockStop) {
        try await job.rehearse(at: now, in: transaction)
      }
      throw End()
    }
  }
}
