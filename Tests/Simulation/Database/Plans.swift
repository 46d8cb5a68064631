import Postgres

/// What each statement does with which rows, decided by what its session sees when it begins.
extension DatabaseModel {
  func plan(_ statement: Statement, for session: SessionID) -> Execution {
    switch statement {
    case .poll(let jobs): Execution(answer: .poll(poll(jobs, session)))
    case .gate(let job, let ignores): Execution(answer: .flag(mayClaim(job, ignoresClockStop: ignores, session)))
    case .suspects(let job): Execution(answer: .rows(suspects(job, session)))
    case .untilNext(let job): Execution(answer: .wait(untilNext(job, session)))
    case .leases(let job): Execution(answer: .rows(answer(.leases(job: job), session)))
    case .claim(let claim): plan(claim, session)
    case .finish(let job, let keys): plan(finish: keys, of: job, session)
    case .schedule(let job, let key, let dueAt): plan(schedule: key, of: job, at: dueAt)
    case .remove(let job, let key): plan(.item(job: job, key: key), session) { _ in .delete }
    case .lockResources(let keys): plan(lock: keys, session)
    case .add(let amount, let key): plan(add: amount, to: key, session)
    case .recordFailure(let job, let keys, let counted, let pauses):
      plan(record: keys, of: job, counted: counted, pauses)
    case .uncountFailures(let job, let keys, let pauses): plan(uncount: keys, of: job, pauses, session)
    case .clearFailures(let job, let keys): plan(clear: keys, of: job, session)
    case .recordDelay(let job, let key): plan(delay: key, of: job)
    case .endBackoff(let job, let key): plan(endBackoff: key, of: job, session)
    case .takeLeases(let job, let keys, let owner): plan(take: keys, of: job, owner, session)
    case .lockLease(let job, let key, let generation): plan(lease: key, of: job, generation, session)
    case .giveBack(let job, let generations): plan(endLeases: generations, of: job, .write, session)
    case .takeAway(let job, let generations): plan(endLeases: generations, of: job, .lockFree, session)
    case .addNode(let node): plan(add: node)
    case .lockNode(let node): plan(.node(node), session, as: .lock) { _ in .lock }
    case .takeName(let node, let last): plan(take: node, last: last, session)
    case .register(let node): plan(register: node, session)
    case .beat(let node, let state, let needsNotify): plan(beat: node, state, needsNotify, session)
    case .setNeedsNotify(let node, let needsNotify): plan(mark: node, needsNotify, session)
    case .stopNode(let node): plan(stop: node, session)
    case .pause(let job, let isPaused): plan(pause: job, isPaused)
    case .stopClock(let node, let difference, let jump): plan(stopClock: node, difference, jump)
    case .liftClockStop(let node): plan(lift: node, session)
    case .releaseClock(let node): plan(.clockStop(node: node), session) { _ in .delete }
    case .acceptClockStops: planToAcceptClockStops(session)
    case .stopJobs(let node, let jobs): plan(stop: jobs, node)
    case .acceptRestoration: planToAcceptRestoration(session)
    case .setClock(let instant): plan(clock: instant, session)
    case .listen: Execution(setting: .listen)
    case .notify(let payload): Execution(payload: payload)
    case .lockTimeout(let limit): Execution(setting: .lockTimeout(limit))
    case .transactionID: Execution(takesID: true)
    }
  }

  /// One row, where it is there.
  func plan(
    _ id: RowID, _ session: SessionID, as kind: Step.Kind = .write,
    effect: @escaping @Sendable (Content) -> Step.Effect
  ) -> Execution {
    plan([id], session, as: kind, effect: effect)
  }

  /// Those of these rows that the session sees, in this order.
  func plan(
    _ ids: [RowID], _ session: SessionID, as kind: Step.Kind = .write,
    effect: @escaping @Sendable (Content) -> Step.Effect
  ) -> Execution {
    Execution(steps: steps(ids, session, as: kind, effect: effect)[...])
  }

  /// The rows that the session sees and that qualify by that, in this order; checked again when their turn comes.
  func steps(
    _ ids: [RowID], _ session: SessionID, as kind: Step.Kind = .write,
    effect: @escaping @Sendable (Content) -> Step.Effect
  ) -> [Step] {
    ids.compactMap { id in
      guard let version = rows.visible(id, to: session) else { return nil }
      if case .pass = effect(version.content) { return nil }
      return Step(row: id, incarnation: version.incarnation, kind: kind, effect: effect)
    }
  }

  func answer(_ shelf: RowStore.Shelf, _ session: SessionID) -> [Answer.Row] {
    rows.visible(shelf, to: session).map { Answer.Row(id: $0.id, content: $0.version.content) }
  }
}

extension Execution {
  init(insert id: RowID, _ content: Content, effect: (@Sendable (Content) -> Step.Effect)? = nil) {
    steps = [Step(row: id, kind: .insert(content), effect: effect)]
  }
}
