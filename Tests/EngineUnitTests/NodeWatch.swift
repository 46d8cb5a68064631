@testable import Engine
import Postgres

/// A machine over the works `a`, which `b` follows, and `c`; looks at it in milliseconds.
final class NodeWatch {
  /// The actions of one call, sorted by kind.
  struct Outcome {
    var start: [String] = []
    /// By work, when each start was due.
    var due: [String: Duration] = [:]
    var coming: [String: (dueIn: Duration, rank: Int)] = [:]
    var following: [String: Duration] = [:]
    var needsNotify: Bool?
    var isAsleep = false
    var beat: NodeMachine.Beat?
    var observed: [Observation] = []
    /// How long it sleeps; nil where it polls, meets, or ends.
    var wait: Duration?
    var polled: Set<String>?
    var returning: Set<String> = []
    var meets = false
    var finishes = false
  }

  private(set) var machine: NodeMachine
  var now: Duration = .seconds(1)
  private var isAsked = false
  /// The transaction id that is given after the mark.
  var horizon: UInt64 = 10

  /// Met, and with the first heartbeat behind it.
  init(isListening: Bool = true, nodes: [String] = [], lead: Duration = .zero) {
    machine = NodeMachine(
      options: SchedulerOptions(node: "n", version: "v"),
      works: [
        Workload.Entry(name: "a", successors: ["b"], lead: lead), Workload.Entry(name: "b"), Workload.Entry(name: "c"),
      ])
    happen(.met)
    poll(nodes: nodes, c: -5)
    if isListening { happen(.listening(true)) }
    happen(.ended(work: "c", RunOutcome(items: 1)))
    poll(nodes: nodes)
  }

  var nextStart: Duration? { machine.nextStart }

  /// What starts while the database is asked.
  func startOnTime() -> Outcome {
    var outcome = Outcome()
    for case .start(let work, let due) in machine.startOnTime(now: now) {
      outcome.start.append(work)
      outcome.due[work] = due
    }
    return outcome
  }

  /// Where the database is asked, it answers before, and nothing is due.
  @discardableResult func happen(_ events: NodeMachine.Event...) -> Outcome {
    if isAsked, !events.contains(where: \.isAnswer) { poll() }
    let actions = machine.handle(events, now: now, draw: { 0.5 })
    var outcome = Outcome()
    for action in actions {
      switch action {
      case .meet: outcome.meets = true
      case .poll(let works, let returning, _): (outcome.polled, outcome.returning) = (works, returning)
      case .start(let work, let due):
        outcome.start.append(work)
        outcome.due[work] = due
      case .announce(let coming):
        outcome.coming[coming.work] = (coming.due - now, coming.rank)
        outcome.following[coming.work] = coming.following.map { $0 - now }
      case .mark: outcome.needsNotify = true
      case .unmark: outcome.needsNotify = false
      case .beat(let beat): outcome.beat = beat
      case .observe(.asleep): outcome.isAsleep = true
      case .observe(let observation): outcome.observed.append(observation)
      case .sleep(let until): outcome.wait = until - now
      case .finish: outcome.finishes = true
      }
    }
    isAsked = outcome.polled != nil || outcome.meets
    guard outcome.needsNotify == true else { return outcome }
    // The mark is committed, and no writer began before.
    outcome.polled = happen(.marked(horizon)).polled
    return outcome
  }

  @discardableResult func end(
    _ work: String, items: Int, retryIn: Duration? = nil, ready: Set<String> = [], error: (any Error)? = nil
  ) -> Outcome {
    var outcome = RunOutcome(items: items, ready: ready, interruption: error)
    outcome.retryIn = retryIn
    return happen(.ended(work: work, outcome))
  }

  /// A poll that finds these works due in so many milliseconds, and the second item of `a` after so many microseconds.
  @discardableResult func poll(
    nodes: [String] = [], a: Int? = nil, b: Int? = nil, c: Int? = nil, following: Int? = nil,
    isUnconditional: Bool = false,
    ignoresClockStop: Bool = false, clockAgrees: Bool = true, oldest: UInt64 = 10,
    isDue: Bool = false, isSimulated: Bool = false, leavesWakeUpsOut: Bool = false, failing: Int64 = 0,
    failed: [(work: String, error: PostgresError)] = [], took: Duration = .zero
  ) -> Outcome {
    if !isAsked { happen(.woken) }
    var items = [
      "a": item(a), "b": item(b), "c": item(c, isUnconditional: isUnconditional, ignoresClockStop: ignoresClockStop),
    ].filter { item in !failed.contains { $0.work == item.key } }
    items["a"]?.following = following.map { Timestamp(microseconds: Int64($0)) }
    if isDue { items["a"]?.isDue = true }
    if failing > 0 { items["a"] = item(a, failing: failing) }
    var snapshot = DueSnapshot(
      items: items, oldest: oldest, now: instant, real: instant, clocks: ClockRecord(), isSimulated: isSimulated)
    snapshot.nodes = nodes
    snapshot.leavesWakeUpsOut = leavesWakeUpsOut
    return happen(.polled(.init(snapshot: snapshot, failed: failed, seen: now - took, clockAgrees: clockAgrees)))
  }

  private let instant = Timestamp(microseconds: 0)

  private func item(
    _ dueIn: Int?, isUnconditional: Bool = false, ignoresClockStop: Bool = false, failing: Int64 = 0
  ) -> DueSnapshot.Item {
    var item = DueSnapshot.Item(
      dueIn: dueIn.map { .milliseconds($0) }, dueAt: nil, isPaused: false, isUnconditional: isUnconditional,
      failing: failing, quarantined: 0)
    item.ignoresClockStop = ignoresClockStop
    item.instant = dueIn.map { Timestamp(microseconds: Int64($0)) }
    return item
  }

  /// Falls asleep as a node does that has had nothing to do for long.
  @discardableResult func sleep(a: Int? = nil) -> Outcome {
    now += .seconds(1)
    poll(a: a)
    return poll(a: a)
  }
}

extension NodeMachine.Event {
  fileprivate var isAnswer: Bool {
    switch self {
    case .met, .parted, .lost, .polled, .marked: true
    default: false
    }
  }
}
