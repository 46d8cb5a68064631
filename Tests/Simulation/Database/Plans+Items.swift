import Postgres

/// The statements on items, resources, failures and leases.
extension DatabaseModel {
  // MARK: Items

  func plan(_ claim: Claim, _ session: SessionID) -> Execution {
    let instant = businessTime(session)
    let effect: @Sendable (Content) -> Step.Effect = { content in
      guard let item = content.item, !item.isDone, item.dueAt <= instant else { return .pass }
      return .lock
    }
    var chosen: [RowID] = []
    for due in dueItems(claim.job, session) {
      // A claim that waits may find more of them taken than it asks for.
      guard due.at <= instant, claim.mode == .wait || chosen.count < claim.limit else { break }
      let id = RowID.item(job: claim.job, key: due.key)
      guard isWanted(due.key, claim, session), claim.mode != .skipLocked || isUnlocked(id, session) else { continue }
      chosen.append(id)
    }
    if claim.mode == .peek {
      return Execution(
        answer: .rows(
          chosen.compactMap { id in
            rows.visible(id, to: session).map { Answer.Row(id: id, content: $0.content) }
          }))
    }
    var execution = plan(chosen, session, as: claim.mode == .wait ? .lock : .lockFree, effect: effect)
    execution.limit = claim.limit
    return execution
  }

  private func isUnlocked(_ id: RowID, _ session: SessionID) -> Bool {
    rows[id]?.holder.map { $0 == session } ?? true
  }

  private func isWanted(_ key: Int64, _ claim: Claim, _ session: SessionID) -> Bool {
    if let only = claim.only { return key == only }
    guard claim.among?.contains(key) ?? !claim.except.contains(key) else { return false }
    return isFree(key, of: claim.job, leased: claim.isLeased, session)
  }

  func plan(finish keys: [Int64], of job: String, _ session: SessionID) -> Execution {
    plan(keys.sorted().map { .item(job: job, key: $0) }, session) { content in
      guard var item = content.item else { return .pass }
      item.isDone = true
      item.served += 1
      return .write(.item(item))
    }
  }

  func plan(schedule key: Int64, of job: String, at dueAt: Timestamp) -> Execution {
    var execution = Execution(insert: .item(job: job, key: key), .item(Content.Item(dueAt: dueAt))) { content in
      guard var item = content.item else { return .pass }
      item.dueAt = dueAt
      item.isDone = false
      return .write(.item(item))
    }
    execution.wakes = true
    return execution
  }

  func plan(lock keys: [Int64], _ session: SessionID) -> Execution {
    plan(keys.sorted().map { .resource($0) }, session, as: .lock) { _ in .lock }
  }

  func plan(add amount: Int64, to key: Int64, _ session: SessionID) -> Execution {
    plan(.resource(key), session) { content in
      guard case .resource(let value) = content else { return .pass }
      return .write(.resource(value + amount))
    }
  }

  // MARK: Failures

  func plan(record keys: [Int64], of job: String, counted: Bool, _ policy: RetryPauses) -> Execution {
    let instant = now
    let fresh = Content.Failure(
      attempts: 1, lastAt: instant, nextAttemptAt: instant.after(policy.pauses[0]),
      isQuarantined: policy.attemptsMax <= 1)
    let steps = inTextOrder(keys).map { key in
      Step(row: .failure(job: job, key: key), kind: .insert(.failure(fresh))) { content in
        guard var failure = content.failure else { return .pass }
        failure.attempts = max(1, failure.attempts + (counted ? 0 : 1))
        failure.lastAt = instant
        failure.nextAttemptAt = instant.after(policy.pauses[min(Int(failure.attempts), policy.pauses.count) - 1])
        failure.isQuarantined = failure.attempts >= policy.attemptsMax
        return .write(.failure(failure))
      }
    }
    return Execution(steps: steps[...], wakes: true)
  }

  func plan(uncount keys: [Int64], of job: String, _ policy: RetryPauses, _ session: SessionID) -> Execution {
    let instant = now
    let ids = inTextOrder(keys).map { RowID.failure(job: job, key: $0) }
    let deleted = steps(ids, session) { $0.failure?.attempts == 1 ? .delete : .pass }
    let changed = steps(ids, session) { content in
      guard var failure = content.failure, failure.attempts > 1 else { return .pass }
      failure.attempts -= 1
      failure.isQuarantined = failure.attempts >= policy.attemptsMax
      failure.nextAttemptAt = instant
      return .write(.failure(failure))
    }
    return Execution(steps: (deleted + changed)[...], wakes: true)
  }

  func plan(clear keys: [Int64], of job: String, _ session: SessionID) -> Execution {
    var execution = plan(inTextOrder(keys).map { .failure(job: job, key: $0) }, session) { _ in .delete }
    execution.wakes = true
    return execution
  }

  func plan(delay key: Int64, of job: String) -> Execution {
    let instant = now
    let fresh = Content.Failure(attempts: 0, lastAt: instant, nextAttemptAt: instant)
    return Execution(insert: .failure(job: job, key: key), .failure(fresh)) { content in
      guard var failure = content.failure, failure.attempts == 0 else { return .pass }
      failure.lastAt = instant
      return .write(.failure(failure))
    }
  }

  func plan(endBackoff key: Int64, of job: String, _ session: SessionID) -> Execution {
    var execution = plan(.failure(job: job, key: key), session) { content in
      guard var failure = content.failure else { return .pass }
      failure.nextAttemptAt = failure.lastAt
      return .write(.failure(failure))
    }
    execution.wakes = true
    return execution
  }

  // MARK: Leases

  func plan(take keys: [Int64], of job: String, _ owner: String, _ session: SessionID) -> Execution {
    let lease = Content.lease(Content.Lease(owner: owner, takenAt: now))
    let steps = inTextOrder(keys).filter { isFree($0, of: job, session) }.map { key in
      Step(row: .lease(job: job, key: key), kind: .insert(lease))
    }
    return Execution(steps: steps[...])
  }

  func plan(lease key: Int64, of job: String, _ generation: UInt64, _ session: SessionID) -> Execution {
    plan(.lease(job: job, key: key), session, as: .lock) { $0.lease?.generation == generation ? .lock : .pass }
  }

  func plan(
    endLeases generations: Set<UInt64>, of job: String, _ kind: Step.Kind, _ session: SessionID
  ) -> Execution {
    plan(rows.visible(.leases(job: job), to: session).map(\.id), session, as: kind) { content in
      content.lease.map { generations.contains($0.generation) } == true ? .delete : .pass
    }
  }

  /// Failures and leases have the keys as text, and are locked in that order.
  private func inTextOrder(_ keys: [Int64]) -> [Int64] { keys.sorted { String($0) < String($1) } }
}
