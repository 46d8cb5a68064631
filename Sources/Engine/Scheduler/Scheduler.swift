package import Postgres
import Synchronization

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
        options: options, works: works.map { Workload.Entry(name: $0.name, successors: $0.successors, lead: $0.lead) })
      var actions = [NodeMachine.Action.meet]
      while let happened = try await carryOut(actions, &machine, admit, in: &runs) {
        let events = Task.isCancelled ? happened + [.stopped] : happened
        actions = machine.handle(events, now: time.now(), draw: time.draw)
      }
    }
    if let refusal = name.refusal { throw refusal }
  }

  /// Returns the events; nil at the end.
  private func carryOut(
    _ actions: [NodeMachine.Action], _ machine: inout NodeMachine,
    _ admit: @Sendable (Connection) async throws -> Void, in runs: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws -> [NodeMachine.Event]? {
    do {
      for action in actions {
        switch action {
        case .meet: return [try await registration.meet(admit, events, until: stopFlag) ? .met : .stopped]
        case .poll(let names, let returning, let isHeartbeat):
          return [
            try await startingOnTime(&machine, in: &runs) { try await self.poll(names, returning, isHeartbeat) }
          ]
        case .start(let name, let due): start(name, due: due, in: &runs)
        case .announce(let coming):
          let names = [coming.work] + (works.first { $0.name == coming.work }?.successors ?? [])
          for work in works where names.contains(work.name) { await work.announce(coming) }
        case .mark:
          return [.marked(try await startingOnTime(&machine, in: &runs) { try await self.registration.mark() })]
        case .unmark: try await startingOnTime(&machine, in: &runs) { try await self.registration.unmark() }
        case .beat(let beat):
          try await startingOnTime(&machine, in: &runs) { try await self.registration.beat(beat) }
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
    let found = try await registration.poll(names, returning: new)
    guard let (snapshot, failed) = found, !snapshot.isUnmetCopy else { return .parted }
    let clock = try await clockWatch.see(snapshot, isHeartbeat: isHeartbeat)
    if clock.isRelease { events.wake() }
    let isDraining = claims.isRequested && !stopFlag.isRequested
    observe(.polled(NodeSnapshot(snapshot, reading: clock.reading, verdict: clock.verdict, isDraining: isDraining)))
    let agrees = clock.verdict == .agrees
    return .polled(.init(snapshot: snapshot, failed: failed, seen: snapshot.readAt, clockAgrees: agrees))
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

/// Starts of work.
extension Scheduler {
  /// Asks the database; work starts at its instants meanwhile.
  private func startingOnTime<Answer: Sendable>(
    _ machine: inout NodeMachine, in runs: inout ThrowingDiscardingTaskGroup<any Error>,
    _ ask: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard machine.nextStart != nil, !claims.isRequested else { return try await ask() }
    let isAnswered = StopFlag()
    let question = Task {
      defer {
        isAnswered.request()
        events.rouse()
      }
      return try await ask()
    }
    return try await withTaskCancellationHandler {
      while !isAnswered.isRequested, !claims.isRequested, let next = machine.nextStart {
        await events.wait(atMost: max(.zero, next - time.now()), time: time)
        for case .start(let name, let due) in machine.startOnTime(now: time.now()) {
          start(name, due: due, in: &runs)
        }
      }
      return try await question.value
    } onCancel: {
      question.cancel()
    }
  }

  private func start(_ name: String, due: Duration, in runs: inout ThrowingDiscardingTaskGroup<any Error>) {
    guard let work = works.first(where: { $0.name == name }) else { return }
    runs.addTask { [events, stop = work.isUnconditional ? stopFlag : claims, time, observe] in
      let outcome = await work.observedRun(until: stop, due: due, time: time, observe)
      events.end(work.name, outcome)
      guard outcome.isFull else { return }
      await work.room()
      events.makeRoom(work.name)
    }
  }
}

extension Scheduler {
  /// The channel on which writers notify.
  package static let channel = "settled"

  /// Makes all nodes poll immediately.
  package static let wakeUp: Statement = "SELECT settled.notify('')"

  /// Forwards notifications, and reports when they do not arrive.
  ///
  /// Behind a proxy that pools transactions none would arrive, although LISTEN succeeds: there the node does not
  /// listen.
  func follow(_ listener: Listener) async {
    guard options.ownsSessions else { return name.leaveUnproven() }
    var lastError: PostgresError?
    for await event in listener.events {
      switch event {
      case .listening:
        lastError = nil
        observe(.listening)
        events.listen(true)
      case .notification(let notification): events.hear(notification)
      case .lost(let error):
        // Each attempt fails; each kind of error is reported once.
        if lastError?.isSameKind(as: error) != true { observe(.listenLost(error)) }
        lastError = error
        events.listen(false)
      case .refused: stop()
      }
    }
  }
}

extension PostgresError {
  func isSameKind(as other: PostgresError) -> Bool { code == other.code && sqlState == other.sqlState }
}

/// The events since the scheduler last took them; any number of events cause one wake-up.
final class EventQueue: Sendable {
  private struct Sender: Hashable {
    let name: String
    let process: Int32
  }

  /// Each work runs once at a time, and events of other kinds are merged: a queue that is not emptied does not grow.
  private struct State {
    var isStopped = false
    var isWoken = false
    var isDrained: Bool?
    var isListening: Bool?
    var ended: [(work: String, outcome: RunOutcome)] = []
    var roomy: Set<String> = []
    var heard: [Sender: Int] = [:]
    var isNew = false
  }

  /// The notifications of further sessions count as one session's.
  private static let sendersMax = 1_000

  private let state = Mutex(State())
  private let kicks: AsyncStream<Void>
  private let kick: AsyncStream<Void>.Continuation

  init() {
    (kicks, kick) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func stop() { update { $0.isStopped = true } }

  /// Something may have become due.
  func wake() { update { $0.isWoken = true } }

  func drain(_ isDrained: Bool) { update { $0.isDrained = isDrained } }

  func listen(_ isListening: Bool) { update { $0.isListening = isListening } }

  func end(_ work: String, _ outcome: RunOutcome) { update { $0.ended.append((work, outcome)) } }

  func makeRoom(_ work: String) { update { $0.roomy.insert(work) } }

  func hear(_ notification: Notification) {
    update { state in
      let sender = Sender(name: notification.payload, process: notification.pid)
      let isKnown = state.heard[sender] != nil || state.heard.count < Self.sendersMax
      state.heard[isKnown ? sender : Sender(name: "", process: 0), default: 0] += 1
    }
  }

  /// Ends a wait without an event.
  func rouse() { kick.yield() }

  private func update(_ change: @Sendable (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.isNew = true
    }
    kick.yield()
  }

  /// Whether anything happened since events were last taken.
  var hasNews: Bool { state.withLock { $0.isNew } }

  func take() -> [NodeMachine.Event] {
    let taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    var events = taken.ended.map { NodeMachine.Event.ended(work: $0, $1) }
    events += taken.roomy.sorted().map { .roomy(work: $0) }
    events += taken.heard.map { .heard(sender: $0.name, process: $0.process, count: $1) }
    if let isListening = taken.isListening { events.append(.listening(isListening)) }
    if let isDrained = taken.isDrained { events.append(.drained(isDrained)) }
    if taken.isWoken { events.append(.woken) }
    if taken.isStopped { events.append(.stopped) }
    return events
  }

  /// Returns at the next kick, or after `timeout`.
  func wait(atMost timeout: Duration, time: Timekeeper) async {
    let timer = Task { [kick] in
      guard (try? await time.sleep(timeout)) != nil else { return }
      kick.yield()
    }
    defer { timer.cancel() }
    guard Task.isCancelled else { return await next() }
    // Unstructured, because in a cancelled task it would return immediately, and the loop waits for batches.
    await Task { await next() }.value
  }

  private func next() async {
    var iterator = kicks.makeAsyncIterator()
    await iterator.next()
  }
}

/// How a node watches its work.
package struct SchedulerOptions: Sendable {
  package var node: String
  package var version: String
  /// False behind a proxy that pools transactions: a session there does not belong to this node.
  package var ownsSessions = true
  /// Whether the node is configured to call the provider of activities, as operators see it in `nodes`.
  package var hasProvider = false
  /// The longest time without a poll, whether or not notifications arrive.
  package var fallbackPoll: Duration = .seconds(60)
  /// The same while notifications do not arrive.
  package var fallbackPollWithoutListen: Duration = .seconds(1)
  package var heartbeat: Duration = .seconds(60)
  /// The interval of polls for other work while some work is running.
  package var pollWhileBusy: Duration = .milliseconds(100)
  /// How long a node does not poll while it plans and runs the successors, because a poll would only delay them.
  package var calm: Duration = .milliseconds(25)
  /// How long a node stays idle after its last work before it asks writers to notify.
  package var idleDelay: Duration = .milliseconds(20)

  /// The longest sleep without a sign of life (`Observation.iteration`); nil if nothing waits for one. The sign needs
  /// no query.
  package var heartbeatInterval: Duration?

  package init(node: String, version: String) {
    self.node = node
    self.version = version
  }
}

/// A request to stop claiming. Running batches still finish.
package final class StopFlag: Sendable {
  private let requested = Atomic<Bool>(false)

  package init() {}

  package var isRequested: Bool {
    requested.load(ordering: .acquiring)
  }

  package func request() {
    requested.store(true, ordering: .releasing)
  }

  package func lift() {
    requested.store(false, ordering: .releasing)
  }
}
