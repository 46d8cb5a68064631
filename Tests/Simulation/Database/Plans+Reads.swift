import Postgres

/// The statements that only read.
extension DatabaseModel {
  /// Business time, as the session sees it.
  func businessTime(_ session: SessionID) -> Timestamp {
    guard case .clock(let instant?) = rows.visible(.clock, to: session)?.content else { return now }
    return instant
  }

  func poll(_ jobs: [PolledJob], _ session: SessionID) -> Poll {
    let stops = rows.visible(.clockStops, to: session).compactMap { row in
      row.version.content.clockStop.map { (row.id.text, $0) }
    }
    var poll = Poll(
      oldest: ids.oldest, next: ids.next, now: businessTime(session), real: now,
      clockStops: Dictionary(uniqueKeysWithValues: stops), nodes: workingNodes(session),
      leavesWakeUpsOut: queueUsage >= 0.5)
    for job in jobs { poll.jobs[job.name] = look(job, session) }
    return poll
  }

  private func look(_ job: PolledJob, _ session: SessionID) -> Poll.Job {
    var found = Poll.Job(isPaused: isPaused(job.name, session), awaitsAcceptance: awaitsAcceptance(job.name, session))
    found.dueAt = nextDue(job, session)
    if job.leaseOverdue == nil {
      found.followingAt = Array(freeInstants(job.name, session).prefix(2)).dropFirst().first
    }
    for row in rows.visible(.failures(job: job.name), to: session) {
      guard let failure = row.version.content.failure else { continue }
      if failure.isQuarantined { found.quarantined += 1 } else { found.failing += 1 }
      guard !failure.isQuarantined, failure.lastAt <= now, now < failure.nextAttemptAt else { continue }
      found.retryAt = min(found.retryAt ?? failure.nextAttemptAt, failure.nextAttemptAt)
    }
    return found
  }

  /// The instants of a job's free items, in order.
  private func freeInstants(_ job: String, _ session: SessionID) -> some Sequence<Timestamp> {
    dueItems(job, session).lazy.filter { self.isFree($0.key, of: job, session) }.map(\.at)
  }

  func untilNext(_ job: String, _ session: SessionID) -> Duration? {
    let now = businessTime(session)
    return freeInstants(job, session).first { now < $0 }?.since(now)
  }

  /// The first instant of a free item, or of a lease that ought to have been given back.
  private func nextDue(_ job: PolledJob, _ session: SessionID) -> Timestamp? {
    let items = dueItems(job.name, session).first {
      isFree($0.key, of: job.name, leased: job.leaseOverdue != nil, session)
    }
    guard let overdue = job.leaseOverdue else { return items?.at }
    let first = rows.visible(.leases(job: job.name), to: session).compactMap(\.version.content.lease?.takenAt).min()
    // A lease that was taken in the future is watched at once.
    let watched = first.map { businessTime(session).after(max(.zero, $0 <= now ? $0.since(now) + overdue : .zero)) }
    return [items?.at, watched].compactMap(\.self).min()
  }

  /// A job's undone items, as the session sees them, in the order of claims.
  func dueItems(_ job: String, _ session: SessionID) -> [RowStore.Due] {
    let committed = rows.due(job)
    let own: [RowID] = (sessions[session]?.transaction.held ?? []).filter { id in
      guard case .item(job, _) = id else { return false }
      return rows[id]?.change != nil
    }
    guard !own.isEmpty else { return committed }
    let keys = Set(own.map(\.key))
    let written = own.compactMap { id -> RowStore.Due? in
      guard let item = rows.visible(id, to: session)?.content.item, !item.isDone else { return nil }
      return RowStore.Due(at: item.dueAt, key: id.key)
    }
    return (committed.filter { !keys.contains($0.key) } + written).sorted()
  }

  /// Whether no failure and, of a leased job, no lease holds an item back.
  func isFree(_ key: Int64, of job: String, leased: Bool = false, _ session: SessionID) -> Bool {
    let failure = rows.visible(.failure(job: job, key: key), to: session)?.content.failure
    guard failure?.holdsBack(at: now) != true else { return false }
    return !leased || rows.visible(.lease(job: job, key: key), to: session) == nil
  }

  func mayClaim(_ job: String, ignoresClockStop: Bool, _ session: SessionID) -> Bool {
    let isClockStopped =
      !ignoresClockStop
      && rows.visible(.clockStops, to: session).contains { $0.version.content.clockStop?.bindsAll == true }
    return !isClockStopped && !isPaused(job, session) && !awaitsAcceptance(job, session)
  }

  private func isPaused(_ job: String, _ session: SessionID) -> Bool {
    rows.visible(.pause(job: job), to: session)?.content == .pause(true)
  }

  private func awaitsAcceptance(_ job: String, _ session: SessionID) -> Bool {
    rows.visible(.restorations, to: session).contains { $0.version.content.restoration?.contains(job) == true }
  }

  func suspects(_ job: String, _ session: SessionID) -> [Answer.Row] {
    let failing = rows.visible(.failures(job: job), to: session).filter { row in
      row.version.content.failure.map { $0.attempts > 0 && !$0.isQuarantined } ?? false
    }
    let order = failing.sorted { left, right in
      guard let one = left.version.content.failure, let other = right.version.content.failure else { return false }
      return (one.attempts, one.nextAttemptAt.microseconds, left.version.incarnation)
        < (other.attempts, other.nextAttemptAt.microseconds, right.version.incarnation)
    }
    return order.map { Answer.Row(id: $0.id, content: $0.version.content) }
  }

  /// Whether the session that holds a node's name lives: no snapshot's matter.
  func lives(_ holder: SessionID?) -> Bool { holder.map { sessions[$0] != nil } ?? false }

  private func workingNodes(_ session: SessionID) -> [String] {
    rows.visible(.nodes, to: session).compactMap { row in
      guard let node = row.version.content.node, node.state == "ready", lives(node.holder),
        abs(node.seenAt.microseconds - now.microseconds) <= 90_000_000
      else { return nil }
      return row.id.text
    }
  }
}
