@testable import Engine
import Postgres
import Testing

/// A loop over two works, and looks at them in milliseconds.
private final class Watch {
  var loop: SchedulerLoop
  var now: Duration = .seconds(1)

  init(isListening: Bool = true) {
    loop = SchedulerLoop(options: SchedulerOptions(node: "n", version: "v"), works: ["a", "b"])
    loop.beat(now: .seconds(1))
    note(isListening: isListening)
  }

  func note(_ finished: [(String, Int)] = [], isListening: Bool = true, retryIn: Duration? = nil) {
    var news = Signals.State()
    news.isListening = isListening
    news.finished = finished.map { name, items in
      var outcome = RunOutcome(items: items)
      outcome.retryIn = retryIn
      return (name, outcome)
    }
    loop.note(news, now: now, draw: { 0.5 })
  }

  func poll(
    a: Int? = nil, b: Int? = nil, isUnconditional: Bool = false, oldest: UInt64 = 10, next: UInt64 = 10,
    mayClaim: Bool = true, clockAgrees: Bool = true, ignoresClockStop: Bool = false, nodes: [String] = [],
    isDue: Bool = false, leavesWakeUpsOut: Bool = false
  ) -> SchedulerLoop.Plan {
    var items = ["a": item(a), "b": item(b, isUnconditional: isUnconditional)]
    items["b"]?.ignoresClockStop = ignoresClockStop
    var snapshot = DueSnapshot(
      items: items, oldest: oldest, next: next, now: instant, real: instant, clocks: ClockRecord(),
      isSimulated: false)
    snapshot.nodes = nodes
    snapshot.leavesWakeUpsOut = leavesWakeUpsOut
    if isDue { snapshot.items["a"]?.isDue = true }
    return loop.plan(snapshot, now: now, mayClaim: mayClaim, clockAgrees: clockAgrees)
  }

  private let instant = Timestamp(microseconds: 0)

  private func item(_ dueIn: Int?, isUnconditional: Bool = false) -> DueSnapshot.Item {
    DueSnapshot.Item(
      dueIn: dueIn.map { .milliseconds($0) }, dueAt: nil, isPaused: false, isUnconditional: isUnconditional,
      failing: 0, quarantined: 0, instant: dueIn.map { Timestamp(microseconds: Int64($0)) })
  }

  /// Falls asleep as a node does that has had nothing to do for long.
  func sleep() -> SchedulerLoop.Plan {
    let needsNotify = poll()
    #expect(needsNotify.needsNotify == true)
    loop.marked(true)
    return poll()
  }
}

@Suite("The scheduler's plan") struct SchedulerLoopTests {
  @Test func `work that has nothing more for a time is left alone for exactly that long`() {
    let watch = Watch()
    #expect(watch.poll(a: 0).start == ["a"])
    watch.note([("a", 3)], retryIn: .seconds(40))
    #expect(watch.poll(a: 0).start.isEmpty && watch.poll(a: 0).wait <= .seconds(40))
    watch.now += .seconds(39)
    #expect(watch.poll(a: 0).start.isEmpty)
    watch.now += .seconds(1)
    #expect(watch.poll(a: 0).start == ["a"])
  }

  @Test func `a node polls every second while writers leave wake-ups out`() {
    let watch = Watch()
    _ = watch.sleep()
    #expect(watch.poll().wait == .seconds(60))
    #expect(watch.poll(leavesWakeUpsOut: true).wait == .seconds(1))
    #expect(watch.poll().wait == .seconds(60))
  }

  @Test(arguments: [0, -1, -100_000])
  func `due work starts, and other work waits`(due: Int) {
    let watch = Watch()
    let plan = watch.poll(a: due, b: 30_000)
    #expect(plan.start == ["a"])
    #expect(plan.wait == .milliseconds(100))
  }

  @Test func `a node that drains, or whose clock is wrong, starts no work`() {
    let watch = Watch()
    #expect(watch.poll(a: 0, b: 5, mayClaim: false).start.isEmpty)
    #expect(watch.poll(a: 0, b: 0, mayClaim: false, ignoresClockStop: true).start.isEmpty)
    #expect(watch.poll(a: 0, b: 0, clockAgrees: false).start.isEmpty)
    #expect(watch.poll(a: 0, b: 0, clockAgrees: false, ignoresClockStop: true).start == ["b"])
    #expect(watch.poll(a: 0, mayClaim: true).start == ["a"])
  }

  @Test func `unconditional work starts on a draining or stopped node`() {
    #expect(Watch().poll(a: 0, b: 0, isUnconditional: true, mayClaim: false).start == ["b"])
  }

  @Test func `the earliest due instant ends the loop's wait`() {
    let watch = Watch()
    #expect(watch.sleep().wait == .seconds(60))
    #expect(watch.poll(a: 30_000, b: 20_000).wait == .seconds(20))
    #expect(watch.poll(a: 30_000, b: 20_000).start.isEmpty)
  }

  @Test func `running work is not started twice, and other work is checked meanwhile`() {
    let watch = Watch()
    #expect(watch.poll(a: 0).start == ["a"])
    let plan = watch.poll(a: 0, b: 0)
    #expect(plan.start == ["b"])
    #expect(plan.wait == .milliseconds(100))
    watch.note([("a", 3)])
    #expect(watch.poll(a: 0, b: 0).start == ["a"])
  }

  @Test func `work that is known to fall due starts then once, without a poll`() {
    let watch = Watch()
    let plan = watch.poll(a: 30_000, b: 20_000)
    #expect(plan.prewarmed.mapValues(\.dueIn) == ["a": .seconds(30), "b": .seconds(20)])
    #expect(watch.poll(a: 30_000, b: 20_000, mayClaim: false).prewarmed.isEmpty)
    #expect(watch.loop.start(["b"]) == ["b"])
    #expect(watch.loop.start(["b"]).isEmpty)
    let busy = watch.poll(a: 10_000, b: -5)
    #expect(busy.start.isEmpty && busy.prewarmed.mapValues(\.dueIn) == ["a": .seconds(10)])
  }

  @Test func `one of four nodes starts prewarmed work, and the others check a little later in turn`() {
    let nodes = ["m", "n", "o", "p"]
    let plans = (1...64).map { Watch().poll(a: $0 * 500, nodes: nodes) }
    let ranks = plans.map { $0.prewarmed["a"]?.rank ?? -1 }
    #expect(Set(ranks) == [0, 1, 2, 3])
    // Nobody is asked for more than twice its share.
    #expect(ranks.count { $0 == 0 } < 32)
    for (plan, rank) in zip(plans, ranks) where plan.wait < .milliseconds(20) {
      #expect(plan.wait == .milliseconds(20) || rank == 0)
    }
    let last = Watch().poll(a: 10, nodes: nodes)
    #expect(
      last.wait == min(.milliseconds(20), .milliseconds(10) + NodeOrder.pause(of: last.prewarmed["a"]?.rank ?? -1)))
  }

  @Test func `work that is already due starts at once on every node that sees it`() {
    for due in 0..<8 { #expect(Watch().poll(a: -due, nodes: ["m", "n", "o", "p"]).start == ["a"]) }
  }

  @Test func `work that was started without a poll and found nothing is checked again`() {
    let watch = Watch()
    _ = watch.poll(a: 20_000)
    _ = watch.loop.start(["a"])
    watch.note([("a", 0)])
    #expect(watch.poll(a: 0).start == ["a"])
    watch.note([("a", 0)])
    #expect(watch.poll(a: 0).start.isEmpty)
  }

  @Test func `short work at a tick of a sleeping node costs no write of the mark`() {
    let watch = Watch()
    _ = watch.sleep()
    _ = watch.loop.start(["a"])
    #expect(watch.poll(a: nil).needsNotify == nil)
    #expect(watch.poll(a: nil).needsNotify == false)
  }

  @Test func `only successful ends of a chain of work are left for the poll after it`() {
    let signals = Signals()
    func isLeft(_ change: @Sendable (inout Signals.State) -> Void) -> Bool {
      _ = signals.take()
      signals.update(change)
      let taken = signals.take { $0.areOnlyEnds(of: ["a", "b"]) }
      #expect(signals.hasNews == (taken == nil))
      return taken != nil
    }
    #expect(isLeft { $0.finished = [("a", RunOutcome(items: 1)), ("b", RunOutcome(items: 9))] })
    #expect(!isLeft { $0.finished = [("a", RunOutcome(items: 1)), ("c", RunOutcome(items: 1))] })
    #expect(!isLeft { $0.finished = [("a", RunOutcome(items: 0))] })
    #expect(!isLeft { $0.finished = [("a", RunOutcome(items: 1, interruption: CancellationError()))] })
    #expect(!isLeft { $0.isWoken = true })
    #expect(!isLeft { $0.stop = true })
  }

  @Test func `work that found its rows locked is checked again after 50 to 100 ms`() {
    let watch = Watch()
    _ = watch.poll(a: 0)
    watch.note([("a", 0)])
    let plan = watch.poll(a: -5)
    #expect(plan.start.isEmpty)
    #expect(plan.wait <= .milliseconds(75))
    watch.now += .milliseconds(75)
    #expect(watch.poll(a: -5).start == ["a"])
  }

  @Test func `interrupted work that others have done since stops being a problem`() {
    let watch = Watch()
    _ = watch.poll(a: 0)
    var news = Signals.State()
    news.finished = [("a", RunOutcome(items: 0, interruption: PostgresError(.server, "no right", sqlState: "42501")))]
    watch.loop.note(news, now: watch.now, draw: { 0.5 })
    #expect(watch.loop.interruptions.takeNews().count == 1)
    _ = watch.poll(a: -5, isDue: true)
    #expect(watch.loop.interruptions.contains("a"))
    _ = watch.poll(a: 30_000)
    #expect(!watch.loop.interruptions.contains("a"))
    #expect(watch.loop.interruptions.takeNews().count == 1)
  }

  @Test func `work that others lock for long is checked less often, at least three times a second`() {
    let watch = Watch()
    var polls = 0
    let end = watch.now + .seconds(60)
    while watch.now < end {
      let plan = watch.poll(a: -5)
      if plan.start.isEmpty { watch.now += plan.wait } else { watch.note([("a", 0)]) }
      polls += plan.start.count
    }
    #expect((200...330).contains(polls))
    watch.note([("a", 1)])
    #expect(watch.poll(a: -5).start == ["a"])
    watch.note([("a", 0)])
    watch.now += .milliseconds(75)
    #expect(watch.poll(a: -5).start == ["a"])
  }

  @Test func `a rested node announces sleep, polls once more, and then sleeps`() {
    let watch = Watch()
    let needsNotify = watch.poll()
    #expect(needsNotify.needsNotify == true && !needsNotify.isAsleep)
    watch.loop.marked(true)
    let plan = watch.poll()
    #expect(plan.isAsleep && plan.needsNotify == nil)
  }

  @Test func `the loop lingers just after work before it announces sleep`() {
    let watch = Watch()
    _ = watch.poll(a: 0)
    watch.note([("a", 1)])
    let plan = watch.poll()
    #expect(plan.needsNotify == nil && !plan.isAsleep)
    #expect(plan.wait == .milliseconds(20))
    watch.now += .milliseconds(20)
    #expect(watch.poll().needsNotify == true)
  }

  @Test func `the mark is not rewritten for short work, and is removed for long work`() {
    let watch = Watch()
    _ = watch.sleep()
    let start = watch.poll(a: 0)
    #expect(start.start == ["a"] && start.needsNotify == nil)
    let later = watch.poll(a: nil)
    #expect(later.needsNotify == false)
    watch.loop.marked(false)
    #expect(watch.poll().needsNotify == nil)
  }

  @Test func `the loop does not sleep while a silent writer may still commit`() {
    let watch = Watch()
    #expect(watch.poll().needsNotify == true)
    watch.loop.marked(true)
    let plan = watch.poll(oldest: 5, next: 10)
    #expect(!plan.isAsleep && plan.wait == .milliseconds(40))
    #expect(watch.poll(oldest: 10, next: 30).isAsleep)
  }

  @Test func `the loop polls every second without notifications, else at the sweep or heartbeat`() {
    let watch = Watch(isListening: false)
    #expect(watch.sleep().wait == .seconds(1))
    watch.note(isListening: true)
    watch.loop.beat(now: watch.now + .seconds(1000))
    #expect(watch.poll().wait == .seconds(60))
  }

  @Test func `the heartbeat is due a minute after the last one`() {
    let watch = Watch()
    #expect(!watch.loop.isHeartbeatDue(now: .seconds(60)))
    #expect(watch.loop.isHeartbeatDue(now: .seconds(61)))
    watch.loop.meetAgain()
    #expect(watch.loop.isHeartbeatDue(now: watch.now))
  }

  @Test func `the loop starts awake when it meets the database again`() {
    let watch = Watch()
    _ = watch.sleep()
    #expect(watch.loop.isMarked)
    watch.loop.meetAgain()
    #expect(!watch.loop.isMarked)
    #expect(watch.poll().needsNotify == true)
  }

  @Test func `attempts to reconnect slow down to one in five seconds, and restart after a success`() {
    var loop = Watch().loop
    let pauses = (0..<10).map { _ in loop.pauseAfterFailure(draw: 0) }
    #expect(pauses.prefix(4) == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
    #expect(pauses.last == .seconds(5))
    loop.meetAgain()
    let again = loop.pauseAfterFailure(draw: 0)
    #expect(again == .milliseconds(100))
  }
}
