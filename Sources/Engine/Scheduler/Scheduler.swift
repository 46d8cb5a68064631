package import Postgres

/// A node's loop: it carries out the actions of `NodeMachine`, and reports events to it.
///
/// Nothing polls while nothing is due. The loop never ends because the database is unreachable. It ends when it is
/// stopped, or when `admit` rejects the schema.
package final class Scheduler: Sendable {
  private let pool: Pool
  private let works: [any Work]
  let options: SchedulerOptions
  private let time: Timekeeper
  let observe: @Sendable (Observation) -> Void
  let events = EventQueue()
  /// The flags that running work reads before it claims more: the node is stopping; it is stopping or draining.
  private let (stopFlag, claims) = (StopFlag(), StopFlag())
  private let clockWatch: ClockWatch
  let name: NodeName
  private let registration: NodeRegistration

  package init(
    pool: Pool, works: [any Work], options: SchedulerOptions, time: Timekeeper, clockGuard: ClockGuard,
    marks: [HistoryMark] = [], history: HistoryStorage? = nil, stopsAfterRestore: Set<String> = [],
    stopsElsewhere: Set<String> = [], observe: @escaping @Sendable (Observation) -> Void
  ) {
    (self.pool, self.works, self.options, self.time, self.observe) = (pool, works, options, time, observe)
    let restoreGuard = RestoreGuard(
      node: options.node, jobs: stopsAfterRestore.union(works.filter(\.stopsAfterRestore).map(\.name)).sorted(),
      jobsElsewhere: stopsElsewhere.sorted(), marks: marks, storage: history, observe: observe)
    name = NodeName(options.node, time: time, observe: observe)
    clockWatch = ClockWatch(pool: pool, node: options.node, clockGuard: clockGuard, time: time, observe: observe)
    registration = NodeRegistration(
      pool: pool, works: works, options: options, clockGuard: clockGuard, restoreGuard: restoreGuard, name: name,
      time: time, observe: observe)
  }

  /// Checks the connections of a pool whose work must not repeat effects that a restored database has lost: see
  /// `RestoreGuard`.
  package func guardConnections(of pool: Pool) {
    pool.greet { [registration] connection async throws(PostgresError) in try await registration.greet(connection) }
  }

  /// Stops claiming; `run` returns when the running batches have ended.
  package func stop() {
    stopFlag.request()
    claims.request()
    events.stop()
  }

  /// Stops claiming without ending, until `undrain`.
  package func drain() {
    claims.request()
    events.drain(true)
  }

  package func undrain() {
    claims.lift()
    // In this order a concurrent stop stays in effect.
    if stopFlag.isRequested { claims.request() }
    events.drain(false)
  }

  /// Polls again now.
  package func wake() { events.wake() }

  /// Runs until stopped.
  ///
  /// `admit` checks the schema on each new connection to the database; an error other than the database's own ends the
  /// loop. Another daemon under this node's name ends it with `EngineError.nameTaken`.
  package func run(listener: Listener, admit: @escaping @Sendable (Connection) async throws -> Void) async throws {
    var greeted = listener
    greeted.greeting = { [name] connection async throws(PostgresError) in try await name.claim(on: connection) }
    for work in works { await work.onCompletion { [events] in events.wake() } }
    // Ended by leaving the scope.
    async let _: Void = follow(greeted)
    try await withThrowingDiscardingTaskGroup { runs in
      var machine = NodeMachine(
        options: options, works: works.map { Workload.Entry(name: $0.name, successors: $0.successors) })
      var actions = [NodeMachine.Action.meet]
      while let happened = try await carryOut(actions, admit, in: &runs) {
        let events = Task.isCancelled ? happened + [.stopped] : happened
        actions = machine.handle(events, now: time.now(), draw: time.draw)
      }
    }
    if let refusal = name.refusal { throw refusal }
  }

  /// Returns the events; nil at the end.
  private func carryOut(
    _ actions: [NodeMachine.Action], _ admit: @Sendable (Connection) async throws -> Void,
    in runs: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws -> [NodeMachine.Event]? {
    do {
      for action in actions {
        switch action {
        case .meet: return [try await registration.meet(admit, events, until: stopFlag) ? .met : .stopped]
        case .poll(let names, let returning, let isHeartbeat):
          return [try await poll(names, returning, isHeartbeat)]
        case .start(let name, let due):
          if let work = works.first(where: { $0.name == name }) { start(work, due: due, in: &runs) }
        case .prewarm(let name, let due, let rank):
          let names = [name] + (works.first { $0.name == name }?.successors ?? [])
          for work in works where names.contains(work.name) { await work.prewarm(due, of: name, rank: rank) }
        case .mark: return [.marked(try await registration.mark())]
        case .unmark: try await registration.unmark()
        case .beat(let beat): try await registration.beat(beat)
        case .remember: try await registration.remember()
        case .observe(let observation): observe(observation)
        case .sleep(let end): return await sleep(until: end)
        case .finish:
          await registration.end()
          return nil
        }
      }
      preconditionFailure("the last action must cause an event")
    } catch let error as PostgresError {
      return [.lost(error)]
    }
  }

  private func poll(_ names: Set<String>, _ new: Set<String>, _ isHeartbeat: Bool) async throws -> NodeMachine.Event {
    let found = try await pool.withConnection { [registration, duePoll = DuePoll(works: works)] connection in
      registration.isMet(connection) ? try await duePoll.poll(names, returning: new, connection) : nil
    }
    guard let (snapshot, failed) = found, !snapshot.isUnmetCopy else { return .parted }
    let seen = time.now() - snapshot.age
    let clock = try await clockWatch.see(snapshot, isHeartbeat: isHeartbeat)
    if clock.isRelease { events.wake() }
    let isDraining = claims.isRequested && !stopFlag.isRequested
    observe(.polled(NodeSnapshot(snapshot, reading: clock.reading, verdict: clock.verdict, isDraining: isDraining)))
    return .polled(.init(snapshot: snapshot, failed: failed, seen: seen, clockAgrees: clock.verdict == .agrees))
  }

  private func start(_ work: any Work, due: Duration, in runs: inout ThrowingDiscardingTaskGroup<any Error>) {
    runs.addTask { [events, stop = work.isUnconditional ? stopFlag : claims, time, observe] in
      let outcome = await work.observedRun(until: stop, due: due, time: time, observe)
      events.end(work.name, outcome)
      guard outcome.isFull else { return }
      await work.room()
      events.makeRoom(work.name)
    }
  }

  /// Sleeps until an event or until the time is over, in intervals that each end with a sign of life.
  private func sleep(until end: Duration) async -> [NodeMachine.Event] {
    // A cancelled node still waits for its batches.
    let isEnding = Task.isCancelled
    observe(.iteration)
    while !events.hasNews, isEnding || !Task.isCancelled, time.now() < end {
      let left = end - time.now()
      await events.wait(atMost: min(left, options.heartbeatInterval ?? left), time: time)
      observe(.iteration)
    }
    return events.take() + (registration.isOpen ? [] : [.parted])
  }
}
