import Engine
import Postgres

/// What holds after each step of a run.
///
/// The books say what is true of each item, by the commits on the server. They are restored with the database.
final class Checks: @unchecked Sendable {
  /// What may make items late, until so long after its end.
  struct Trouble {
    enum Scope: Equatable { case all, job(String), resource(Int64) }

    let scope: Scope
    let from: Duration
    let until: Duration
    /// How long it is felt after its end.
    let settling: Duration
  }

  struct Item {
    let dueAt: Timestamp
    /// When it was written, or came back with a restore.
    var writtenAt: Duration
    var fault: Fault?
    let isFaulty: Bool
    /// How long it may wait for those before it.
    let patience: Duration
    var served = 0
    /// A failed attempt holds it back until then.
    var heldUntil: Duration = .zero
    var isQuarantined = false
    /// How many processes it has ended.
    var kills = 0
  }

  /// What an item does to those who work on it.
  struct Fault {
    /// Nil: it ends their process.
    let error: PostgresError?
    var times: Int
  }

  /// The longest that an item waits where nothing is in the way: see `StandbyPoll`.
  static let patience: Duration = .seconds(10)
  /// The same where a single node has all notifications, besides its work.
  static let lonePatience: Duration = .seconds(2)
  /// The same of a leased job, whose calls take long.
  static let leasedPatience: Duration = .seconds(40)
  /// After most troubles nodes are woken, or try again within five seconds.
  static let brief: Duration = .seconds(15)
  /// After others they sleep until the next poll, or the longest pause of interrupted work.
  static let long: Duration = .seconds(75)
  /// A node that is asleep polls no more often than that in five minutes, and no less than that in two.
  static let idlePolls = 6
  private static let window: Duration = .seconds(10)

  let server: Server
  private var clock: Clockwork { server.clock }
  private(set) var violation: String?
  var items: [ItemID: Item] = [:]
  /// How many items of each job are not served.
  private var open: [String: Int] = [:]
  private let isLone: Bool
  /// Each node may work on an item that ends its process once before it knows of it, and five attempts are counted.
  private let killsMax: Int
  private var troubles: [Trouble] = []
  /// When anything but an idle poll last happened.
  private var activity: Duration = .zero
  /// Jobs whose database was restored, until an operator accepts it.
  var restored: Set<String> = []
  /// When an operator last took another clock as right: items may have fallen due by that.
  var clockAcceptedAt: Duration = .zero
  private(set) var served = 0
  /// How long after its instant, or its writing, each item was served.
  private(set) var lateness: [Duration] = []
  private(set) var polls = 0

  init(_ server: Server, nodes: Int) {
    (self.server, isLone, killsMax) = (server, nodes == 1, 5 + 5 * max(4, nodes))
  }

  func fail(_ text: String) {
    if violation == nil, !clock.isOver { violation = "at \(clock.now.text): \(text)" }
  }

  func note() { activity = clock.now }

  // MARK: Troubles

  func trouble(_ scope: Trouble.Scope = .all, for span: Duration, settling: Duration = Checks.brief) {
    troubles.append(Trouble(scope: scope, from: clock.now, until: clock.now + span, settling: settling))
    note()
    clock.after(span) { [self] in note() }
  }

  /// Whether something is in the way of every item, or was a moment ago.
  var isTroubled: Bool {
    troubles.contains { $0.scope == .all && $0.until + $0.settling > clock.now }
  }

  // MARK: Items

  /// An app's transaction is committed.
  func written(_ ids: [ItemID], dueAt: Timestamp, fault: Fault? = nil) {
    open[ids[0].job, default: 0] += ids.count
    let patience = patience(for: ids[0].job)
    for id in ids {
      items[id] = Item(
        dueAt: dueAt, writtenAt: clock.now, fault: fault, isFaulty: fault != nil, patience: patience)
    }
    note()
    watch(ids)
  }

  private func watch(_ ids: [ItemID]) {
    guard !clock.isOver, let latest = ids.map({ deadline($0) }).max(), latest < .seconds(2_000) else { return }
    clock.at(latest) { [self] in look(ids) }
  }

  private func look(_ ids: [ItemID]) {
    let open = ids.filter { id in items[id].map { $0.served == 0 && !$0.isQuarantined && $0.fault == nil } ?? false }
    guard !open.isEmpty else { return }
    guard let late = open.first(where: { deadline($0) <= clock.now }) else { return watch(open) }
    fail("item \(late.key) of \(late.job) is not served, and nothing is in its way")
  }

  private func patience(for job: String) -> Duration {
    guard let job = Jobs.byName[job], !job.isLeased else { return Self.leasedPatience }
    return isLone ? Self.lonePatience + (job.cost + .milliseconds(1)) * (open[job.name] ?? 0) * 2 : Self.patience
  }

  /// How far the clock is ahead while nodes take it for right.
  ///
  /// Nodes let a step of up to ten minutes pass, such as the difference of two jumps.
  private var presumedLead: Duration {
    server.isClockOff(by: ClockJudge.jumpMax) ? server.clockBook.accepted : server.model.clockLead
  }

  /// When an item falls due, in true time.
  private func due(_ item: Item) -> Duration { item.dueAt.since(Server.epoch) - presumedLead }

  /// By when an item is served that nothing but a past trouble holds up.
  private func deadline(_ id: ItemID) -> Duration {
    guard let item = items[id] else { return .zero }
    var base = max(due(item), item.writtenAt, item.heldUntil, clockAcceptedAt)
    // Two jumps may differ by five to ten minutes: no clock stop binds, but each host is off and stops its node.
    if server.isClockOff(by: ClockJudge.hostSkewMax) { base = max(base, clock.now + Self.long) }
    let patience = max(item.patience, patience(for: id.job))
    for trouble in troubles where trouble.from <= base + patience {
      let isInTheWay =
        switch trouble.scope {
        case .all: true
        case .job(let job): job == id.job
        case .resource(let resource): resource == id.resource
        }
      if isInTheWay { base = max(base, trouble.until + trouble.settling) }
    }
    // Each batch waits for the rows that others hold.
    let isHeldUp = troubles.contains { trouble in
      guard case .resource = trouble.scope else { return false }
      return trouble.from <= base + patience && trouble.until + trouble.settling >= base
    }
    return base + patience + (isHeldUp ? Self.patience : .zero)
  }

  /// The database is what it was: items are due again that were served since.
  func restore(_ saved: [ItemID: Item]) {
    items = saved
    let open = saved.filter { $0.value.served == 0 }.map(\.key)
    self.open = open.reduce(into: [:]) { $0[$1.job, default: 0] += 1 }
    for id in open { items[id]?.writtenAt = clock.now }
    watch(open.sorted { ($0.job, $0.key) < ($1.job, $1.key) })
  }

  /// What the gate ought to say now.
  func mayClaim(_ job: SimulatedJob, nodes: [String]) -> Bool {
    if server.model[.pause(job: job.name)] == .pause(true) { return false }
    if restored.contains(job.name) { return false }
    for node in nodes {
      if case .restoration(let jobs)? = server.model[.restoration(node: node)], jobs.contains(job.name) { return false }
      if !job.ignoresClockStop, case .clockStop(let stop)? = server.model[.clockStop(node: node)], stop.bindsAll {
        return false
      }
    }
    return true
  }

  /// A batch is committed.
  func served(_ ids: [ItemID], by node: String, mayClaim: Bool) {
    note()
    for id in ids {
      served += 1
      guard var item = items[id] else { continue }
      item.served += 1
      lateness.append(clock.now - max(due(item), item.writtenAt))
      items[id] = item
      open[id.job, default: 0] -= 1
      if item.served > 1 { fail("item \(id.key) of \(id.job) is served twice, last by \(node)") }
      if !mayClaim { fail("item \(id.key) of \(id.job) is served by \(node) although its job is stopped") }
      // By the clock before and after an acceptance: a call may have begun before it.
      let ahead = min(item.dueAt.since(server.moment), item.dueAt.since(server.moment.after(server.clockBook.accepted)))
      if ahead > ClockJudge.jumpMax + .seconds(1), Jobs.byName[id.job]?.ignoresClockStop == false {
        fail("item \(id.key) of \(id.job) is served \(ahead.text) s early by \(node)")
      }
    }
  }

  /// What an item does to an attempt. Only an attempt of it alone uses a fault up.
  func fault(of id: ItemID, isAlone: Bool) -> Fault? {
    guard let fault = items[id]?.fault else { return nil }
    if isAlone { items[id]?.fault?.times -= 1 }
    if items[id]?.fault?.times == 0 {
      items[id]?.fault = nil
      watch([id])
    }
    return fault
  }

  /// An item has ended the process that works on it.
  func killed(by id: ItemID) {
    trouble(for: .seconds(10))
    items[id]?.kills += 1
    if let kills = items[id]?.kills, kills > killsMax {
      fail("item \(id.key) of \(id.job) has ended \(kills) processes")
    }
  }

  /// A failed attempt of items is recorded: `isOwn` where the item failed alone.
  ///
  /// A COMMIT fails if the queue of notifications fills up after its transaction has looked at it. A server's queue
  /// takes minutes to fill, a history's takes no time.
  func recorded(_ rows: [Answer.Row], isOwn: Bool) {
    note()
    for row in rows {
      guard let failure = row.content.failure else { continue }
      let id = ItemID(job: row.id.job, key: row.id.key)
      items[id]?.heldUntil = failure.nextAttemptAt.since(server.now) + clock.now
      if failure.isQuarantined { items[id]?.isQuarantined = true }
      if isOwn, items[id]?.isFaulty == false, server.model.queueUsage < 1 {
        fail("item \(id.key) of \(id.job) is blamed for what it has not done")
      }
    }
  }

  // MARK: Nodes

  /// A node works on one thing for long: meanwhile no writer needs to notify it.
  func busy(_ node: String, for span: Duration) {
    guard span > .seconds(2), !isTroubled, case .node(let row)? = server.model[.node(node)], row.needsNotify
    else { return }
    fail("\(node) has been busy for \(span.text) s and asks writers to notify")
  }

  /// A node that runs since then polls: `polls` are the times of its polls, each with how much it had to poll for.
  func polled(_ node: String, since begin: Duration, _ polls: [(at: Duration, causes: Int)]) {
    self.polls += 1
    guard let last = polls.last else { return }
    func count(after time: Duration) -> (polls: Int, causes: Int) {
      var (low, high) = (0, polls.count)
      while low < high {
        let middle = (low + high) / 2
        if polls[middle].at <= time { low = middle + 1 } else { high = middle }
      }
      return (polls.count - low, low < polls.count ? last.causes - polls[low].causes : 0)
    }
    let recent = count(after: last.at - Self.window)
    if recent.polls > 700 + 4 * recent.causes { fail("\(node) polls \(recent.polls) times in ten seconds") }
    guard last.at - max(activity, begin) > .seconds(360) else { return }
    let idle = count(after: last.at - .seconds(300)).polls
    if idle > Self.idlePolls { fail("\(node) is idle and polls \(idle) times in five minutes") }
  }
}
