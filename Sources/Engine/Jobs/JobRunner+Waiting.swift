import Postgres

/// Items in others' hands: noticed, and waited for one at a time.
extension JobRunner {
  /// So many of the longest due are remembered.
  private static var rememberedMax: Int { 16 }

  /// Waits for the item that was passed over most, if it is time for that; yields how many items were done.
  func waitForOne() async -> Int {
    guard !passedOver.isEmpty else { return 0 }
    let due = await longestDue()
    guard let key = passedOver.toWaitFor(in: due) else { return 0 }
    let claimed = Claimed<J.Key>()
    let probe = LockProbe(context: context)
    let blockers = probe.blockers(of: claimed)
    defer { blockers.cancel() }
    do {
      return try await attempt(limit: 1, only: key, mode: .wait, lockWait: context.lockWait, claimed: claimed).count
    } catch let error as PostgresError where error.isContention {
      blockers.cancel()
      passedOver.waitedInVain(key)
      if passedOver.isLongDelayed(key, now: context.time.now()) {
        await probe.list(job: name, key: key.description, heldBy: await blockers.value)
      }
    } catch {
      if passing(error) == nil { _ = await record(error, of: key) }
    }
    return 0
  }

  /// What is still due at the end of a turn is in others' hands.
  func notePassedOver() async {
    passedOver.observe(await longestDue(), now: context.time.now())
  }

  /// The longest due items, whoever holds them.
  private func longestDue() async -> [J.Key] {
    let due = try? await context.pool.withConnection { [job] connection in
      let request = LockRequest<J.Key>(limit: Self.rememberedMax, mode: .peek)
      return try await connection.query(job.lock(request)).decode(J.Key.self)
    }
    return due ?? []
  }
}
