import Postgres

/// The scheduler loop's memory between polls, and its decisions after each poll; pure.
struct SchedulerLoop {
  /// The actions after a poll.
  struct Plan: Equatable {
    struct Prewarmed: Equatable {
      let dueIn: Duration
      let rank: Int
    }

    var start: Set<String> = []
    /// The work that falls due later: in what time, and how many nodes come before this one.
    var prewarmed: [String: Prewarmed] = [:]
    /// A change of the node's row: whether writers must notify.
    var needsNotify: Bool?
    var isAsleep = false
    var wait: Duration
  }

  private let options: SchedulerOptions
  private let works: [String]
  private var running: Set<String> = []
  /// Work that has no room for more: it is not started, however much is due.
  private var full: Set<String> = []
  /// Work that was started without a poll: should it find nothing, the next poll says why.
  private var unpolled: Set<String> = []
  private var hasJustStarted = false
  /// Work whose due rows were locked by others is tried again later.
  private var notBefore: [String: Duration] = [:]
  private var lockedByOthers: [String: Int] = [:]
  private static let contentionBackoff = Backoff(first: .milliseconds(100), factor: 2, longest: .milliseconds(300))
  private var notifyMark = NotifyMark()
  private var isListening = false
  private var lastBeat: Duration?
  private var lastActive: Duration = .zero
  private var failures = 0
  var interruptions = Interruptions()

  init(options: SchedulerOptions, works: [String]) {
    self.options = options
    self.works = works
  }

  var isBusy: Bool { !running.isEmpty }

  /// Whether the node's row asks writers to notify, or ought to.
  var isMarked: Bool { notifyMark.isArmed }

  /// The node has met the database anew: its row asks for no notification.
  mutating func meetAgain() {
    notifyMark.disarm()
    lastBeat = nil
    failures = 0
  }

  mutating func pauseAfterFailure(draw: Double) -> Duration {
    failures += 1
    return Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
      .delay(afterAttempts: failures, draw: draw)
  }

  mutating func note(_ news: Signals.State, now: Duration, draw: () -> Double) {
    isListening = news.isListening
    for (name, outcome) in news.finished {
      running.remove(name)
      lastActive = now
      let wasLookedAt = unpolled.remove(name) == nil
      if outcome.isFull { full.insert(name) }
      let isLockedByOthers = outcome.items == 0 && wasLookedAt
      lockedByOthers[name] = isLockedByOthers ? (lockedByOthers[name] ?? 0) + 1 : nil
      notBefore[name] = lockedByOthers[name].map { now + Self.contentionBackoff.delay(afterAttempts: $0, draw: draw()) }
      if let error = outcome.interruption {
        notBefore[name] =
          now + interruptions.interrupt(name, by: error, progressed: outcome.items > 0, draw: draw())
      } else {
        if let pause = outcome.retryIn { notBefore[name] = now + pause }
        if !outcome.isInconclusive { interruptions.resume(name) }
      }
    }
    full.subtract(news.roomy)
  }

  /// Takes note of work that starts without a poll; returns what does not run already and was not interrupted.
  mutating func start(_ names: Set<String>) -> Set<String> {
    let fresh = names.subtracting(running).subtracting(full).filter { !interruptions.contains($0) }
    running.formUnion(fresh)
    unpolled.formUnion(fresh)
    hasJustStarted = hasJustStarted || !fresh.isEmpty
    return fresh
  }

  func isHeartbeatDue(now: Duration) -> Bool {
    lastBeat.map { now - $0 >= options.heartbeat } ?? true
  }

  mutating func beat(now: Duration) {
    lastBeat = now
  }

  mutating func marked(_ needsNotify: Bool) {
    if needsNotify { notifyMark.arm() } else { notifyMark.disarm() }
  }

  /// `mayClaim` is false while this node drains: then only what is unconditional starts. While its clock is wrong, what
  /// ignores that starts too.
  mutating func plan(_ snapshot: DueSnapshot, now: Duration, mayClaim: Bool = true, clockAgrees: Bool = true) -> Plan {
    let again = notifyMark.observe(oldest: snapshot.oldest, next: snapshot.next)
    let order = NodeOrder(node: options.node, nodes: snapshot.nodes)
    var plan = Plan(
      wait: isListening && !snapshot.leavesWakeUpsOut ? options.fallbackPoll : options.fallbackPollWithoutListen)
    // Work that other nodes have done meanwhile is no problem any more.
    for (name, item) in snapshot.items where !running.contains(name) && !full.contains(name) && !item.isDue {
      interruptions.resume(name)
    }
    for (name, item) in snapshot.items where !running.contains(name) && !full.contains(name) {
      guard let due = item.dueIn, item.isUnconditional || mayClaim && (clockAgrees || item.ignoresClockStop)
      else { continue }
      let readyIn = max(due, (notBefore[name] ?? now) - now)
      if readyIn <= .zero {
        plan.start.insert(name)
        notBefore[name] = nil
      } else {
        let rank = due > .zero ? order.rank(at: item.instant) : 0
        plan.prewarmed[name] = Plan.Prewarmed(dueIn: readyIn, rank: rank)
        plan.wait = min(plan.wait, readyIn + NodeOrder.pause(of: rank))
      }
    }
    running.formUnion(plan.start)
    if let lastBeat { plan.wait = min(plan.wait, max(.zero, lastBeat + options.heartbeat - now)) }
    if let again { plan.wait = min(plan.wait, again) }
    if isBusy {
      plan.wait = min(plan.wait, options.pollWhileBusy)
      // A short piece of work is not worth two writes; a long one is, for it spares every writer a notification.
      if notifyMark.isArmed, plan.start.isEmpty, !hasJustStarted { plan.needsNotify = false }
    } else if !notifyMark.isArmed {
      let rested = now - lastActive
      if rested >= options.idleDelay {
        plan.needsNotify = true
      } else {
        plan.wait = min(plan.wait, options.idleDelay - rested)
      }
    } else {
      plan.isAsleep = again == nil
    }
    hasJustStarted = false
    return plan
  }
}
