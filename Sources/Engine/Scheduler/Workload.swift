import Postgres

/// A node's record of its works between polls, and of what starts after each poll; a part of `NodeMachine`.
package struct Workload: Sendable {
  /// The properties of a work that decisions need.
  package struct Entry: Sendable {
    let name: String
    let successors: [String]
    /// See `Work.lead`.
    let lead: Duration

    package init(name: String, successors: [String] = [], lead: Duration = .zero) {
      (self.name, self.successors, self.lead) = (name, successors, lead)
    }
  }

  struct Plan: Equatable {
    struct Coming: Equatable {
      let dueIn: Duration
      /// How many nodes come before this one.
      let rank: Int
      /// Whether nothing but the instant delays it.
      let isFree: Bool
      /// Time until the item after the first, if this node comes first at both instants.
      var followingIn: Duration?
    }

    /// In the order of the works.
    var start: [String] = []
    /// The work that falls due later.
    var coming: [String: Coming] = [:]
    /// A change to the node's row: whether writers must notify.
    var needsNotify: Bool?
    var isAsleep = false
    /// The latest time of the next poll.
    var wait: Duration
  }

  private static let contention = Backoff(first: .milliseconds(100), factor: 2, longest: .milliseconds(300))

  private let options: SchedulerOptions
  private let works: [Entry]
  /// The works that have successors, and the successors.
  private let chain: Set<String>
  private let leads: [String: Duration]
  private var running: Set<String> = []
  /// Work without room for more: it is not started, however much is due.
  private var full: Set<String> = []
  /// Work that was started without a poll: if it finds nothing, the next poll shows why.
  private var unpolled: Set<String> = []
  private var hasJustStarted = false
  /// Work whose due rows were locked is retried later.
  private var notBefore: [String: Duration] = [:]
  private var lockedByOthers: [String: Int] = [:]
  /// Work that could not be polled, and until when polls leave it out.
  private var hidden: [String: Duration] = [:]
  private var notifyMark = NotifyMark()
  private var lastActive: Duration = .zero
  private var interruptions = Interruptions()
  var isListening = false

  init(_ works: [Entry], options: SchedulerOptions) {
    self.works = works
    self.options = options
    leads = Dictionary(uniqueKeysWithValues: works.map { ($0.name, $0.lead) })
    chain = Set(works.flatMap { $0.successors.isEmpty ? [] : $0.successors + [$0.name] })
  }

  var isBusy: Bool { !running.isEmpty }

  /// Whether the node's row asks writers to notify, or should.
  var isMarked: Bool { notifyMark.isArmed }

  /// The node's row asks writers to notify, and the transaction id was assigned after the commit.
  mutating func marked(_ id: UInt64, now: Duration) { notifyMark.arm(id, now: now) }

  /// When work that is left out is polled again; nil where none is.
  var nextAttempt: Duration? { hidden.values.min() }

  func lead(of name: String) -> Duration { leads[name] ?? .zero }

  func isChained(_ name: String) -> Bool { chain.contains(name) }

  func hasSuccessors(_ name: String) -> Bool { works.contains { $0.name == name && !$0.successors.isEmpty } }

  /// The reports since the last call: each kind of interruption once, and its end.
  mutating func takeNews() -> [Observation] { interruptions.takeNews() }

  /// The node has registered with the database: its row requests no notification.
  mutating func meetAgain() {
    notifyMark.disarm()
    hidden = [:]
  }

  mutating func ended(_ name: String, _ outcome: RunOutcome, now: Duration, draw: () -> Double) {
    running.remove(name)
    lastActive = now
    let wasPolled = unpolled.remove(name) == nil
    if outcome.isFull { full.insert(name) }
    let isLockedByOthers = outcome.items == 0 && wasPolled
    lockedByOthers[name] = isLockedByOthers ? (lockedByOthers[name] ?? 0) + 1 : nil
    notBefore[name] = lockedByOthers[name].map { now + Self.contention.delay(afterAttempts: $0, draw: draw()) }
    if let error = outcome.interruption {
      notBefore[name] = now + interruptions.interrupt(name, by: error, progressed: outcome.items > 0, draw: draw())
    } else {
      if let pause = outcome.retryIn { notBefore[name] = now + pause }
      if !outcome.isInconclusive { interruptions.resume(name) }
    }
  }

  mutating func roomy(_ name: String) { full.remove(name) }

  /// Work that starts without a poll: work that is neither running nor interrupted, in the order of the works.
  mutating func start(_ names: Set<String>) -> [String] {
    let fresh = works.map(\.name).filter {
      names.contains($0) && !running.contains($0) && !full.contains($0) && !interruptions.contains($0)
    }
    running.formUnion(fresh)
    unpolled.formUnion(fresh)
    hasJustStarted = hasJustStarted || !fresh.isEmpty
    return fresh
  }

  /// The works to poll, and those that were left out until now.
  func polled(now: Duration) -> (works: Set<String>, returning: Set<String>) {
    (Set(works.map(\.name).filter { hidden[$0] == nil }), Set(hidden.filter { $0.value <= now }.keys))
  }

  /// Work that could not be polled is interrupted, and does not hide the others.
  mutating func polled(_ poll: NodeMachine.Poll, now: Duration, draw: () -> Double) {
    for name in poll.snapshot.items.keys where hidden.removeValue(forKey: name) != nil { interruptions.resume(name) }
    for (name, error) in poll.failed {
      hidden[name] = now + interruptions.interrupt(name, by: error, progressed: false, draw: draw())
    }
  }

  /// Returns the work that starts after a poll, and how long the node may rest.
  ///
  /// `mayClaim` is false while this node drains: then only unconditional work starts. While its clock is wrong, work
  /// that ignores clock stops also starts.
  mutating func plan(_ poll: NodeMachine.Poll, mayClaim: Bool) -> Plan {
    let (snapshot, now) = (poll.snapshot, poll.seen)
    let again = notifyMark.observe(oldest: snapshot.oldest, now: now)
    let order = NodeOrder(node: options.node, nodes: snapshot.nodes)
    var plan = Plan(
      wait: isListening && !snapshot.leavesWakeUpsOut ? options.fallbackPoll : options.fallbackPollWithoutListen)
    for name in works.map(\.name) where !running.contains(name) && !full.contains(name) {
      guard let item = snapshot.items[name] else { continue }
      // Work that other nodes have done meanwhile is resumed.
      if !item.isDue { interruptions.resume(name) }
      guard let due = item.dueIn, item.isUnconditional || mayClaim && (poll.clockAgrees || item.ignoresClockStop)
      else { continue }
      let readyIn = max(due, (notBefore[name] ?? now) - now)
      if readyIn <= .zero {
        plan.start.append(name)
        notBefore[name] = nil
      } else {
        let rank = due > .zero ? order.rank(at: item.instant) : 0
        let following = rank + order.rank(at: item.following) > 0 ? nil : item.following?.since(snapshot.now)
        plan.coming[name] = Plan.Coming(
          dueIn: readyIn, rank: rank, isFree: notBefore[name] == nil, followingIn: following)
        plan.wait = min(plan.wait, readyIn + order.pause(of: rank))
      }
    }
    running.formUnion(plan.start)
    if let again { plan.wait = min(plan.wait, again) }
    if isBusy {
      plan.wait = min(plan.wait, options.pollWhileBusy)
      // Short work is not worth two writes; long work is, because it spares every writer a notification.
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
    if plan.needsNotify == false { notifyMark.disarm() }
    return plan
  }
}

/// Work interrupted by something other than one of its items: how often in a row, and how long it pauses. Pure.
struct Interruptions {
  private struct Entry {
    var count = 0
    /// The kind of error that was reported last; nil: none.
    var reported: String?
    var pause: Duration = .zero
  }

  /// A lost connection, contention or a lack of resources passes; any other error needs a person.
  private static let short = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
  private static let long = Backoff(first: .seconds(1), factor: 2, longest: .seconds(60))

  /// The number of transient interruptions in a row after which they are reported.
  private static let transientMax = 10

  private var entries: [String: Entry] = [:]
  private var news: [Observation] = []

  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// Records an interruption and returns how long the work pauses; a run that finished items begins a new row.
  mutating func interrupt(_ name: String, by error: any Error, progressed: Bool, draw: Double) -> Duration {
    var entry = entries[name] ?? Entry()
    entry.count = progressed ? 1 : entry.count + 1
    let passes = Self.passes(Verdict(of: error))
    let kind = Self.kind(of: error)
    if entry.reported != kind, !passes || entry.count >= Self.transientMax {
      entry.reported = kind
      news.append(.interrupted(job: name, error: error))
    }
    entry.pause = (passes ? Self.short : Self.long).delay(afterAttempts: entry.count, draw: draw)
    entries[name] = entry
    return entry.pause
  }

  mutating func resume(_ name: String) {
    guard let entry = entries.removeValue(forKey: name), entry.reported != nil else { return }
    news.append(.resumed(job: name))
  }

  /// The reports since the last call: each kind of interruption once, and its end.
  mutating func takeNews() -> [Observation] {
    defer { news = [] }
    return news
  }

  /// Whether work with this verdict resumes without a person, so that its pauses are short and only several in a row
  /// are reported.
  static func passes(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .contention, .connection, .resource, .caller: true
    case .item, .timeout, .installation: false
    }
  }

  private static func kind(of error: any Error) -> String {
    (error as? PostgresError).map { "\($0.code.rawValue) \($0.sqlState ?? "")" } ?? "\(error)"
  }
}
