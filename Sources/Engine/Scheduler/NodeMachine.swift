package import Postgres

/// One node's decisions between its events: events in, actions out; pure.
///
/// A call takes what happened since the call before it, and the time. It returns what to do, in order. The last action
/// causes the next event: it asks the database, sleeps, or ends. If an action fails, the actions after it are skipped,
/// and `lost` follows. Source: Engine.docc/SleepingNode.md and Engine.docc/SeveralNodes.md.
package struct NodeMachine: Sendable {
  package enum Event: Sendable {
    /// The node is registered on a new connection, and its row asks for no notification.
    case met
    /// The connection on which the node registered is gone, or the database is a copy without a registration.
    case parted
    case lost(PostgresError)
    case polled(Poll)
    /// The node's row asks writers to notify; the transaction id was assigned after the commit.
    case marked(UInt64)
    /// Notifications arrive, or do not arrive.
    case listening(Bool)
    /// This many notifications of one session arrived.
    case heard(sender: String, process: Int32, count: Int)
    /// Something may have become due.
    case woken
    case ended(work: String, RunOutcome)
    /// Work that was full has room again.
    case roomy(work: String)
    case drained(Bool)
    case stopped
  }

  /// The answer to one poll.
  package struct Poll: Sendable {
    package var snapshot: DueSnapshot
    /// Works that could not be polled, while others could.
    package var failed: [(work: String, error: PostgresError)]
    /// When the clocks were read, by the node's own time.
    package let seen: Duration
    /// Whether this node may claim, by its own clock.
    package var clockAgrees: Bool

    package init(
      snapshot: DueSnapshot, failed: [(work: String, error: PostgresError)] = [], seen: Duration,
      clockAgrees: Bool = true
    ) {
      (self.snapshot, self.failed, self.seen, self.clockAgrees) = (snapshot, failed, seen, clockAgrees)
    }
  }

  /// A heartbeat in the node's row.
  package struct Beat: Sendable, Equatable {
    package let state: String
    package let needsNotify: Bool
    /// Whether failures are recorded, some of which may be resolved.
    package let prunesFailures: Bool

    package init(state: String, needsNotify: Bool, prunesFailures: Bool) {
      (self.state, self.needsNotify, self.prunesFailures) = (state, needsNotify, prunesFailures)
    }
  }

  package enum Action: Sendable {
    case meet
    /// Polls these works, and retries works that could not be polled before; `beat` follows if `isHeartbeat`.
    case poll(works: Set<String>, returning: Set<String>, isHeartbeat: Bool)
    /// Starts a run, for what fell due then, or within the work's lead will fall due.
    case start(work: String, due: Duration)
    case announce(ComingWork)
    /// Writes into the node's row that writers must notify, and asks for a transaction id after it.
    case mark
    /// Writes into the node's row that writers need not notify.
    case unmark
    case beat(Beat)
    case observe(Observation)
    /// Sleeps until then, or until an event.
    case sleep(until: Duration)
    /// No batch is running: the node ends.
    case finish
  }

  private enum Phase {
    /// The database is asked.
    case asking(isHeartbeat: Bool)
    /// The database counts as unreachable until then.
    case away(until: Duration)
    case resting(Rest)
  }

  private static let reconnecting = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
  /// How often an ending node checks for the end of its batches.
  private static let endingPause: Duration = .seconds(1)

  let options: SchedulerOptions
  private var phase = Phase.asking(isHeartbeat: false)
  private var failures = 0
  private var lastError: PostgresError?
  private var isDraining = false
  private var isStopped = false
  private var lastBeat: Duration?
  private var workload: Workload
  private var notified: NotifiedPolls
  /// The work for which this node comes first: when it starts, and when it falls due.
  private var upcoming: [String: (start: Duration, due: Duration)] = [:]
  /// Whether the business clock is the server's, so that the server can wait for an instant.
  private var isServerClock = false
  /// When the second item of work falls due, if it is expected.
  private var following: [String: Duration] = [:]

  package init(options: SchedulerOptions, works: [Workload.Entry]) {
    self.options = options
    workload = Workload(works, options: options)
    notified = NotifiedPolls(node: options.node)
  }

  /// Takes the events, and returns the next actions. Without an event a sleep is over. An answer of the database comes
  /// alone.
  package mutating func handle(_ events: [Event], now: Duration, draw: () -> Double) -> [Action] {
    var (isWoken, isHeard, isDeaf) = (false, false, false)
    for event in events {
      switch event {
      case .met, .parted, .lost, .polled, .marked: break
      case .listening(let isListening):
        workload.isListening = isListening
        if isListening { isWoken = true } else { isDeaf = true }
      case .heard(let sender, let process, let count):
        isHeard = notified.heard(sender: sender, process: process, count: count, now: now) || isHeard
      case .woken: isWoken = true
      case .ended(let work, let outcome):
        workload.ended(work, outcome, now: now, draw: draw)
        upcoming[work] = following.removeValue(forKey: work).flatMap { $0 > now ? start(of: work, due: $0) : nil }
      case .roomy(let work):
        workload.roomy(work)
        isWoken = true
      case .drained(let isDrained):
        isDraining = isDrained
        expectNothing()
        isWoken = true
      case .stopped: isStopped = true
      }
    }
    if isStopped { return end(now) }
    if let actions = answered(events, now: now, draw: draw) { return actions }
    switch phase {
    case .asking: preconditionFailure("the node is still waiting for the database")
    case .away(let until):
      guard isWoken || until <= now else { return [.sleep(until: until)] }
      return meet()
    case .resting(let rest): return rested(events, rest, isOver: isWoken || isHeard || isDeaf, now: now)
    }
  }

  // MARK: Instants

  /// When the next work starts for which this node comes first; nil: none is known.
  package var nextStart: Duration? { upcoming.values.map(\.start).min() }

  private func start(of work: String, due: Duration) -> (start: Duration, due: Duration) {
    (isServerClock ? due - workload.lead(of: work) : due, due)
  }

  /// Starts the work that is to start while the database is asked, because its answer may be late.
  package mutating func startOnTime(now: Duration) -> [Action] { startDue(now).map(Action.start) }

  private mutating func startDue(_ now: Duration) -> [(work: String, due: Duration)] {
    let ready = upcoming.filter { $0.value.start <= now }
    upcoming = upcoming.filter { $0.value.start > now }
    return workload.start(Set(ready.keys)).map { ($0, ready[$0]?.due ?? now) }
  }

  private mutating func expect(_ coming: [String: Workload.Plan.Coming], seen: Duration) {
    upcoming = [:]
    for (work, coming) in coming {
      let due = seen + coming.dueIn
      if coming.rank == 0 { upcoming[work] = coming.isFree ? start(of: work, due: due) : (due, due) }
      following[work] = coming.followingIn.map { seen + $0 }
    }
  }

  private mutating func expectNothing() { (upcoming, following) = ([:], [:]) }

  /// Waits for running batches.
  private mutating func end(_ now: Duration) -> [Action] {
    expectNothing()
    return workload.isBusy ? [.sleep(until: now + Self.endingPause)] : [.finish]
  }

  // MARK: The database's answers

  /// Nil if the database did not answer.
  private mutating func answered(_ events: [Event], now: Duration, draw: () -> Double) -> [Action]? {
    for event in events {
      switch event {
      case .met: return met(now)
      case .lost(let error): return lost(error, now: now, draw: draw)
      case .polled(let poll): return polled(poll, now: now, draw: draw)
      case .marked(let id):
        workload.marked(id, now: now)
        return poll(now)
      case .parted:
        if case .away = phase { continue }
        return meet()
      default: continue
      }
    }
    return nil
  }

  private mutating func meet() -> [Action] {
    expectNothing()
    phase = .asking(isHeartbeat: false)
    return [.meet]
  }

  private mutating func met(_ now: Duration) -> [Action] {
    let isBack = lastError != nil
    (failures, lastError, lastBeat) = (0, nil, nil)
    workload.meetAgain()
    return (isBack ? [.observe(.databaseBack)] : []) + poll(now)
  }

  private mutating func lost(_ error: PostgresError, now: Duration, draw: () -> Double) -> [Action] {
    expectNothing()
    let isNews = lastError?.isSameKind(as: error) != true
    lastError = error
    failures += 1
    let until = now + Self.reconnecting.delay(afterAttempts: failures, draw: draw())
    phase = .away(until: until)
    return (isNews ? [.observe(.databaseAway(error))] : []) + [.sleep(until: until)]
  }

  private mutating func poll(_ now: Duration) -> [Action] {
    let (works, returning) = workload.polled(now: now)
    // Also if nothing can be polled: a notification that stayed would end each rest immediately.
    notified.begin()
    // Each is left out for a time.
    guard !works.isEmpty || !returning.isEmpty else {
      return sleep(Rest(until: workload.nextAttempt ?? now + options.fallbackPoll))
    }
    let isHeartbeat = lastBeat.map { now - $0 >= options.heartbeat } ?? true
    phase = .asking(isHeartbeat: isHeartbeat)
    return [.poll(works: works, returning: returning, isHeartbeat: isHeartbeat)]
  }

  private mutating func polled(_ poll: Poll, now: Duration, draw: () -> Double) -> [Action] {
    let snapshot = poll.snapshot
    let isHeartbeat = if case .asking(let isHeartbeat) = phase { isHeartbeat } else { false }
    workload.polled(poll, now: now, draw: draw)
    if isHeartbeat { lastBeat = poll.seen }
    var plan = workload.plan(poll, mayClaim: !isDraining)
    if let lastBeat { plan.wait = min(plan.wait, max(.zero, lastBeat + options.heartbeat - poll.seen)) }
    notified.end(nodes: snapshot.nodes, hasFound: !plan.start.isEmpty)
    isServerClock = !snapshot.isSimulated
    expect(plan.coming, seen: poll.seen)
    var actions = workload.takeNews().map(Action.observe)
    for name in plan.start {
      actions.append(.start(work: name, due: poll.seen - (snapshot.items[name]?.lateBy ?? .zero)))
    }
    for (name, coming) in plan.coming.sorted(by: { $0.key < $1.key }) {
      let following = coming.followingIn.map { poll.seen + $0 }
      let due = poll.seen + coming.dueIn
      let serverDue = snapshot.isSimulated ? nil : snapshot.real.advanced(by: coming.dueIn)
      actions.append(
        .announce(ComingWork(name, due: due, serverDue: serverDue, following: following, rank: coming.rank)))
    }
    if plan.needsNotify == false { actions.append(.unmark) }
    // After the starts, which it would delay.
    if isHeartbeat { actions.append(.beat(beat(poll))) }
    if plan.needsNotify == true {
      phase = .asking(isHeartbeat: false)
      return actions + [.mark]
    }
    if plan.isAsleep { actions.append(.observe(.asleep)) }
    let ends = [workload.nextAttempt, nextStart].compactMap(\.self)
    return actions + sleep(Rest(until: ends.reduce(poll.seen + plan.wait, min)))
  }

  private func beat(_ poll: Poll) -> Beat {
    Beat(
      state: isDraining ? "draining" : poll.clockAgrees ? "ready" : "degraded", needsNotify: workload.isMarked,
      prunesFailures: poll.snapshot.items.values.contains { $0.failing + $0.quarantined > 0 })
  }

  // MARK: Rest

  /// A pause between two polls. Work starts in it at its due instants, without a poll, which would only delay it.
  private struct Rest {
    var until: Duration
    /// The latest end, once work was started.
    var latest: Duration?
    /// Until then the planner and its successors do not end the rest when they finish.
    var calmEnd: Duration?
  }

  private mutating func sleep(_ rest: Rest) -> [Action] {
    phase = .resting(rest)
    return [.sleep(until: min(rest.until, notified.nextPoll ?? .seconds(Int64.max)))]
  }

  private mutating func rested(_ events: [Event], _ rest: Rest, isOver: Bool, now: Duration) -> [Action] {
    let ends = events.compactMap { if case .ended(let work, let outcome) = $0 { (work, outcome) } else { nil } }
    let ready = isDraining ? [] : ends.reduce(into: Set()) { $0.formUnion($1.1.ready) }
    let started = workload.start(ready).map { Action.start(work: $0, due: now) }
    let isPollDue = notified.isPollDue(now: now)
    let isCalm = rest.calmEnd.map { now < $0 } ?? false
    let isCalmEnd = ends.allSatisfy { isCalm && workload.isChained($0.0) && $0.1.items > 0 && $0.1.interruption == nil }
    guard !isOver, !isPollDue, isCalmEnd else { return started + poll(now) }
    return started + onTime(rest, isCalm: isCalm, now: now)
  }

  private mutating func onTime(_ rest: Rest, isCalm: Bool, now: Duration) -> [Action] {
    var rest = rest
    let started = startDue(now)
    if started.isEmpty, !isCalm {
      // The event that woke it needs no poll.
      return now < rest.until ? sleep(rest) : poll(now)
    }
    let latest = rest.latest ?? now + options.pollWhileBusy
    rest.latest = latest
    if rest.calmEnd == nil, started.contains(where: { workload.hasSuccessors($0.work) }) {
      let end = started.map(\.due).reduce(now, max) + options.calm
      rest.calmEnd = end
      notified.keepCalm(until: end)
    }
    // Not `latest` in a calm: a rest whose end is past would never end in a poll.
    let end = rest.calmEnd ?? latest
    rest.until = min(end, nextStart ?? end)
    return started.map(Action.start) + sleep(rest)
  }
}

/// The result of a node's last poll: status, health and metrics show it without asking the database again.
package struct NodeSnapshot: Sendable, Equatable {
  package struct Item: Sendable, Equatable {
    package let dueAt: Timestamp?
    /// How late it is: zero if it is not due.
    package let lateBy: Duration
    /// Whether something is due now, whether or not the job is paused or a clock is wrong.
    package let isDue: Bool
    package let isPaused: Bool
    /// Whether it is stopped until an operator accepts that the database was restored.
    package let awaitsAcceptance: Bool
    package let failing: Int
    package let quarantined: Int
  }

  package let items: [String: Item]
  /// Business time.
  package let now: Timestamp
  /// How far the database's clock is ahead of this node's wall clock.
  package let skew: Duration
  package let verdict: ClockVerdict
  /// Whether any node has stopped the clock.
  package let isClockStopped: Bool
  /// The nodes that have stopped it.
  package let stoppedBy: [String]
  package let isDraining: Bool
  package let isSimulated: Bool
  /// Whether the server's notification queue is half full, so that writers do not notify.
  package let leavesWakeUpsOut: Bool
  /// Whether jobs are stopped until an operator accepts that the database was restored.
  package var awaitsAcceptance: Bool { items.values.contains(where: \.awaitsAcceptance) }
  /// The known problems, until they are resolved.
  package let problems: [KeptProblem]

  init(_ snapshot: DueSnapshot, reading: ClockReading, verdict: ClockVerdict, isDraining: Bool) {
    items = snapshot.items.mapValues { item in
      Item(
        dueAt: item.dueAt, lateBy: item.lateBy, isDue: item.isDue, isPaused: item.isPaused,
        awaitsAcceptance: item.awaitsAcceptance, failing: Int(item.failing), quarantined: Int(item.quarantined))
    }
    now = snapshot.now
    skew = reading.skew
    self.verdict = verdict
    isClockStopped = snapshot.clocks.isClockStopped
    stoppedBy = snapshot.clocks.stops.filter(\.bindsAll).map(\.node)
    self.isDraining = isDraining
    isSimulated = snapshot.isSimulated
    leavesWakeUpsOut = snapshot.leavesWakeUpsOut
    problems = stride(from: 0, to: snapshot.problems.count - 2, by: 3).map { place in
      KeptProblem(
        name: snapshot.problems[place], text: snapshot.problems[place + 1],
        since: Int64(snapshot.problems[place + 2]).map { Timestamp(microseconds: $0) })
    }
  }
}

/// A problem that the database keeps until it is resolved: a row of `settled.problem`.
package struct KeptProblem: Sendable, Equatable {
  package let name: String
  package let text: String
  package let since: Timestamp?
}
