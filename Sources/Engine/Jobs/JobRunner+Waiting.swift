import Postgres

/// Items that others have locked: noticed, left out of batches, and waited for one at a time, beside the batches.
extension JobRunner {
  /// So many of the longest due are remembered, besides those that could be claimed and not written.
  static var rememberedMax: Int { 16 }

  /// Tries one item that others had locked, if it is time for that and none is tried; batches go on meanwhile.
  func startProbe() {
    guard probe == nil, !lockContention.isEmpty else { return }
    probe = Task {
      await waitForOne()
      probe = nil
    }
  }

  package func finish() async {
    rehearsal?.cancel()
    await rehearsal?.value
    await probe?.value
  }

  /// Waits for the item that was left out most often, if it is time for that.
  private func waitForOne() async {
    guard let due = await stillDue(), let key = lockContention.toWaitFor(in: due) else { return }
    let claimed = Claimed<J.Key>()
    let lockProbe = LockProbe(context: context)
    let blockers = lockProbe.blockers(of: claimed)
    defer { blockers.cancel() }
    do {
      _ = try await attempt(limit: 1, only: key, mode: .wait, claimed: claimed)
      lockContention.had(key)
    } catch {
      switch ItemFate(of: error) {
      case .counts: _ = await record(error, of: key, isCounted: isRecovering)
      case .waits:
        blockers.cancel()
        lockContention.waitedInVain(key)
        if lockContention.isLongDelayed(key, now: context.time.now()) {
          let holders = await blockers.value
          await lockProbe.list(job: name, key: key.description, lockedBy: holders)
          await lockProbe.endHung(holders)
        }
      case .spared:
        lockContention.waitedInVain(key)
        if lockContention.isLongDelayed(key, now: context.time.now()) {
          await lockProbe.list(job: name, key: key.description, delayedBy: error)
        }
      // A batch shows whether other items can be done.
      case .doubtful: lockContention.release(key)
      case .stops: break
      }
    }
  }

  /// Items that are still due after the last batch have been locked by others.
  func noteLockContention() async {
    guard let due = await stillDue() else { return }
    lockContention.observe(due, now: context.time.now())
  }

  /// The longest due items, whoever holds them, and after them all ones that others have locked that are due;
  /// nil where the database does not say.
  private func stillDue() async -> [J.Key]? {
    let lockedByOthers = lockContention.lockedByOthers
    return try? await context.pool.withConnection { [job] connection in
      let longest = LockRequest<J.Key>(limit: Self.rememberedMax, mode: .peek)
      var due = try J.Key.decode(await connection.query(job.lock(longest)))
      guard !lockedByOthers.isEmpty else { return due }
      let among = LockRequest<J.Key>(limit: lockedByOthers.count, mode: .peek, among: lockedByOthers)
      let known = Set(due)
      due += try J.Key.decode(await connection.query(job.lock(among))).filter { !known.contains($0) }
      return due
    }
  }
}
