@testable import Engine
import Postgres
import Testing

@Suite("A node between its polls") struct NodeRestTests {
  @Test func `a rested node announces sleep, polls once more, and then sleeps`() {
    let watch = NodeWatch()
    watch.now += .milliseconds(20)
    let marked = watch.poll()
    #expect(marked.needsNotify == true && !marked.isAsleep && marked.polled != nil)
    let outcome = watch.poll()
    #expect(outcome.isAsleep && outcome.needsNotify == nil)
  }

  @Test func `an idle node polls once a minute, although each poll takes time`() {
    let watch = NodeWatch()
    watch.sleep()
    let begin = watch.now
    var polls = 0
    watch.happen(.woken)
    while watch.now - begin < .seconds(600) {
      watch.now += .milliseconds(30)
      watch.now += watch.poll(took: .milliseconds(30)).wait ?? .zero
      polls += 1
      #expect(watch.happen().polled != nil)
    }
    #expect((9...11).contains(polls))
  }

  @Test func `a node lingers just after work before it announces sleep`() {
    let watch = NodeWatch()
    watch.poll(a: 0)
    watch.end("a", items: 1)
    let outcome = watch.poll()
    #expect(outcome.needsNotify == nil && !outcome.isAsleep && outcome.wait == .milliseconds(20))
    watch.now += .milliseconds(20)
    #expect(watch.poll().needsNotify == true)
  }

  @Test func `the mark is not rewritten for short work, and is removed for long work`() {
    let watch = NodeWatch()
    watch.sleep()
    let start = watch.poll(a: 0)
    #expect(start.start == ["a"] && start.needsNotify == nil)
    #expect(watch.poll().needsNotify == false)
    #expect(watch.poll().needsNotify == nil)
  }

  @Test func `short work at a tick of a sleeping node costs no write of the mark`() {
    let watch = NodeWatch()
    watch.sleep(a: 200)
    watch.now += .milliseconds(200)
    #expect(watch.happen().start == ["a"])
    #expect(watch.poll().needsNotify == nil)
    #expect(watch.poll().needsNotify == false)
  }

  @Test func `a node does not sleep while a silent writer may still commit`() {
    let watch = NodeWatch()
    watch.now += .seconds(1)
    #expect(watch.poll().needsNotify == true)
    let outcome = watch.poll(oldest: 5)
    #expect(!outcome.isAsleep && outcome.wait == .milliseconds(40))
    #expect(watch.poll(oldest: 10).isAsleep)
  }

  @Test func `a node polls every second without notifications, or while writers leave them out`() {
    let deaf = NodeWatch(isListening: false)
    #expect(deaf.sleep().wait == .seconds(1))
    deaf.happen(.listening(true))
    #expect(deaf.poll().wait ?? .zero > .seconds(50))
    #expect(deaf.poll(leavesWakeUpsOut: true).wait == .seconds(1))
    #expect(deaf.happen(.listening(false)).polled != nil)
    #expect(deaf.poll().wait == .seconds(1))
  }

  @Test func `work that is known to fall due starts then once, without a poll`() {
    let watch = NodeWatch()
    let outcome = watch.sleep(a: 20_000)
    #expect(outcome.coming["a"]?.dueIn == .seconds(20) && outcome.wait == .seconds(20))
    watch.now += .seconds(20)
    let started = watch.happen()
    #expect(started.start == ["a"] && started.due["a"] == watch.now && started.polled == nil)
    // As long as the calm lasts; then it polls, and does not start it again.
    #expect(started.wait == .milliseconds(25))
    watch.now += .milliseconds(25)
    #expect(watch.happen().polled != nil)
    #expect(watch.poll(a: -25).start.isEmpty)
  }

  @Test func `work that was started without a poll and found nothing is polled again`() {
    let watch = NodeWatch()
    watch.sleep(a: 20_000)
    watch.now += .seconds(20)
    watch.happen()
    #expect(watch.end("a", items: 0).polled != nil)
    #expect(watch.poll(a: 0).start == ["a"])
    watch.end("a", items: 0)
    #expect(watch.poll(a: 0).start.isEmpty)
  }

  @Test func `successors start when what they follow ends, and their good ends leave the calm`() {
    let watch = NodeWatch()
    watch.sleep(a: 20_000)
    watch.now += .seconds(20)
    watch.happen()
    let chained = watch.end("a", items: 1, ready: ["b"])
    #expect(chained.start == ["b"] && chained.polled == nil)
    #expect(watch.end("b", items: 1).polled == nil)
    watch.now += .milliseconds(25)
    #expect(watch.happen().polled != nil)
  }

  @Test func `any other event in a calm is polled for at once`() {
    func calm() -> NodeWatch {
      let watch = NodeWatch()
      watch.sleep(a: 20_000)
      watch.now += .seconds(20)
      watch.happen()
      return watch
    }
    #expect(calm().end("a", items: 0).polled != nil)
    #expect(calm().end("a", items: 1, error: CancellationError()).polled != nil)
    #expect(calm().end("c", items: 1).polled != nil)
    #expect(calm().happen(.woken).polled != nil)
    // Its own session wakes a node for nothing that it does not do already.
    #expect(calm().happen(.heard(sender: "n", process: 7, count: 1)).polled == nil)
    #expect(calm().happen(.heard(sender: "", process: 7, count: 1)).polled != nil)
  }

  @Test func `a draining node starts no successor`() {
    let watch = NodeWatch()
    watch.poll(a: 0)
    watch.happen(.drained(true))
    watch.poll()
    #expect(watch.end("a", items: 1, ready: ["b"]).start.isEmpty)
  }

  @Test func `a node expects the second item of its work where it comes first at both instants`() {
    let nodes = ["m", "n", "o", "p"]
    let order = NodeOrder(node: "n", nodes: nodes)
    let instants = Array(1...64)
    let isFirst = instants.map { order.rank(at: Timestamp(microseconds: Int64($0))) == 0 }
    #expect(Set(isFirst) == [false, true])
    for (first, second) in zip(instants, instants.dropFirst()) {
      let outcome = NodeWatch(nodes: nodes).poll(nodes: nodes, a: first, following: second)
      let isExpected = isFirst[first - 1] && isFirst[second - 1]
      #expect(outcome.following["a"] == (isExpected ? .microseconds(second) : nil))
    }
    #expect(NodeWatch().poll(a: 5).following == [:])
  }

  @Test func `work starts at its instant while the database is asked, once, and unless the node drains`() {
    let watch = NodeWatch()
    watch.poll(a: 50, c: 80)
    watch.now += .milliseconds(10)
    #expect(watch.happen(.woken).polled != nil)
    #expect(watch.startOnTime().start == [])
    watch.now += .milliseconds(40)
    let outcome = watch.startOnTime()
    #expect(outcome.start == ["a"] && outcome.due["a"] == watch.now)
    #expect(watch.startOnTime().start == [])
    // The poll saw the item before it was claimed.
    #expect(watch.poll(a: -1, c: 40).start == [])
    watch.happen(.drained(true))
    watch.now += .seconds(1)
    #expect(watch.startOnTime().start == [])
  }

  @Test func `work with a lead starts before its instant, unless the business clock is simulated`() {
    let watch = NodeWatch(lead: .milliseconds(5))
    #expect(watch.sleep(a: 20_000).wait == .milliseconds(19_995))
    watch.now += .milliseconds(19_995)
    let outcome = watch.happen()
    #expect(outcome.start == ["a"] && outcome.due["a"] == watch.now + .milliseconds(5))
    watch.end("a", items: 1)
    watch.poll()
    #expect(watch.poll(a: 20_000, isSimulated: true).wait == .milliseconds(20_000))
    watch.now += .milliseconds(19_995)
    #expect(watch.startOnTime().start == [])
  }

  @Test func `interrupted work is retried after its pause, with one poll`() {
    let watch = NodeWatch(lead: .milliseconds(5))
    watch.poll(a: 0)
    watch.end("a", items: 0, retryIn: .seconds(2), error: CancellationError())
    let pause = watch.poll(a: 0, isDue: true).coming["a"]?.dueIn ?? .zero
    #expect(pause > .milliseconds(50) && watch.nextStart == watch.now + pause)
    watch.now += pause
    #expect(watch.happen().polled != nil)
    #expect(watch.poll(a: 0).start == ["a"])
  }

  @Test func `work that is due sooner than its lead starts at once`() {
    let watch = NodeWatch(lead: .milliseconds(5))
    watch.poll(a: 3, following: 30_000)
    let outcome = watch.happen()
    #expect(outcome.start == ["a"] && outcome.due["a"] == watch.now + .milliseconds(3))
    watch.end("a", items: 1)
    #expect(watch.nextStart == watch.now + .milliseconds(25))
  }

  @Test func `a node expects the second item after the run of the first, until a poll answers`() {
    let watch = NodeWatch()
    watch.poll(a: 50, following: 90_000)
    watch.now += .milliseconds(50)
    #expect(watch.happen().start == ["a"])
    #expect(watch.nextStart == nil)
    watch.end("a", items: 1)
    #expect(watch.nextStart == watch.now + .milliseconds(40))
    watch.poll()
    #expect(watch.nextStart == nil)
  }

  @Test func `one of four nodes starts work at its instant, and the others poll a little later in turn`() {
    let nodes = ["m", "n", "o", "p"]
    let outcomes = (1...64).map { NodeWatch(nodes: nodes).poll(nodes: nodes, a: $0 * 500) }
    let ranks = outcomes.map { $0.coming["a"]?.rank ?? -1 }
    #expect(Set(ranks) == [0, 1, 2, 3])
    // None has more than twice its share.
    #expect(ranks.count { $0 == 0 } < 32)
    let watch = NodeWatch(nodes: nodes)
    guard let place = ranks.firstIndex(where: { $0 > 0 }) else { return }
    let due = (place + 1) * 500
    watch.now += .seconds(1)
    watch.poll(nodes: nodes, a: due)
    let outcome = watch.poll(nodes: nodes, a: due)
    #expect(outcome.wait == .milliseconds(due) + NodeOrder(node: "n", nodes: nodes).pause(of: ranks[place]))
    watch.now += outcome.wait ?? .zero
    let over = watch.happen()
    #expect(over.start.isEmpty && over.polled != nil)
  }

  @Test func `one of four nodes polls for a notification at once, and each of the others once, later`() {
    let nodes = ["n", "o", "p", "q"]
    let first = NodeWatch(nodes: nodes)
    first.poll(nodes: nodes)
    #expect(first.happen(.heard(sender: "n", process: 7, count: 1)).polled != nil)
    for (sender, turn) in [("q", 100), ("p", 200), ("o", 300)] {
      let later = NodeWatch(nodes: nodes)
      later.now += .seconds(1)
      later.poll(nodes: nodes)
      later.poll(nodes: nodes)
      let heard = later.happen(.heard(sender: sender, process: 7, count: 3))
      #expect(heard.polled == nil && heard.wait == .milliseconds(turn))
      later.now += .milliseconds(turn)
      #expect(later.happen().polled != nil)
      later.poll(nodes: nodes)
      #expect(later.happen(.heard(sender: sender, process: 7, count: 1)).polled == nil)
    }
  }
}
