@testable import Engine
import Postgres
import Testing

@Suite("What a node starts after a poll") struct NodeMachineTests {
  @Test(arguments: [0, -1, -100_000])
  func `due work starts, and other work waits`(due: Int) {
    let watch = NodeWatch()
    let outcome = watch.poll(a: due, c: 30_000)
    #expect(outcome.start == ["a"] && outcome.wait == .milliseconds(100))
    #expect(outcome.due["a"] == watch.now + .milliseconds(due))
  }

  @Test func `work that has nothing more for a time is left alone for exactly that long`() {
    let watch = NodeWatch()
    #expect(watch.poll(a: 0).start == ["a"])
    watch.end("a", items: 3, retryIn: .seconds(40))
    let left = watch.poll(a: 0)
    #expect(left.start.isEmpty && left.wait ?? .zero <= .seconds(40))
    watch.now += .seconds(39)
    #expect(watch.poll(a: 0).start.isEmpty)
    watch.now += .seconds(1)
    #expect(watch.poll(a: 0).start == ["a"])
  }

  @Test func `a node that drains, or whose clock is wrong, starts no work`() {
    let watch = NodeWatch()
    watch.happen(.drained(true))
    #expect(watch.poll(a: 0, c: 5).start.isEmpty)
    #expect(watch.poll(a: 0, c: 0, ignoresClockStop: true).start.isEmpty)
    watch.happen(.drained(false))
    #expect(watch.poll(a: 0, c: 0, clockAgrees: false).start.isEmpty)
    #expect(watch.poll(a: 0, c: 0, ignoresClockStop: true, clockAgrees: false).start == ["c"])
    #expect(watch.poll(a: 0).start == ["a"])
  }

  @Test func `unconditional work starts on a draining node`() {
    let watch = NodeWatch()
    watch.happen(.drained(true))
    #expect(watch.poll(a: 0, c: 0, isUnconditional: true).start == ["c"])
  }

  @Test func `the earliest due instant ends the node's sleep`() {
    let watch = NodeWatch()
    #expect(watch.sleep().wait == .seconds(59))
    let outcome = watch.poll(a: 30_000, c: 20_000)
    #expect(outcome.wait == .seconds(20) && outcome.start.isEmpty)
  }

  @Test func `running work is not started twice, and other work is polled meanwhile`() {
    let watch = NodeWatch()
    #expect(watch.poll(a: 0).start == ["a"])
    let outcome = watch.poll(a: 0, c: 0)
    #expect(outcome.start == ["c"] && outcome.wait == .milliseconds(100))
    watch.end("a", items: 3)
    #expect(watch.poll(a: 0, c: 0).start == ["a"])
  }

  @Test func `work that is full starts again once it has room`() {
    let watch = NodeWatch()
    watch.poll(a: 0)
    var full = RunOutcome(items: 5)
    full.isFull = true
    watch.happen(.ended(work: "a", full))
    #expect(watch.poll(a: 0).start.isEmpty)
    #expect(watch.happen(.roomy(work: "a")).polled != nil)
    #expect(watch.poll(a: 0).start == ["a"])
  }

  @Test func `work that is already due starts at once on every node that sees it`() {
    for due in 0..<8 { #expect(NodeWatch().poll(nodes: ["m", "n", "o", "p"], a: -due).start == ["a"]) }
  }

  @Test func `work that found its rows locked is tried again after 50 to 100 ms`() {
    let watch = NodeWatch()
    watch.poll(a: 0)
    watch.end("a", items: 0)
    let outcome = watch.poll(a: -5)
    #expect(outcome.start.isEmpty && outcome.wait ?? .seconds(1) <= .milliseconds(75))
    watch.now += .milliseconds(75)
    #expect(watch.poll(a: -5).start == ["a"])
  }

  @Test func `work that others lock for long is tried less often, at least three times a second`() {
    let watch = NodeWatch()
    var polls = 0
    let end = watch.now + .seconds(60)
    while watch.now < end {
      let outcome = watch.poll(a: -5)
      if outcome.start.isEmpty { watch.now += outcome.wait ?? .zero } else { watch.end("a", items: 0) }
      polls += outcome.start.count
    }
    #expect((200...330).contains(polls))
    watch.end("a", items: 1)
    #expect(watch.poll(a: -5).start == ["a"])
    watch.end("a", items: 0)
    watch.now += .milliseconds(75)
    #expect(watch.poll(a: -5).start == ["a"])
  }

  @Test func `interrupted work that others have done since stops being a problem`() {
    let watch = NodeWatch()
    watch.poll(a: 0)
    watch.end("a", items: 0, error: PostgresError(.server, "no right", sqlState: "42501"))
    #expect(watch.poll(a: -5, isDue: true).observed.count == 1)
    #expect(watch.poll(a: -5, isDue: true).observed.isEmpty)
    #expect(watch.poll(a: 30_000).observed.count == 1)
  }

  @Test func `work that cannot be polled is left out for a time, and does not hide the others`() {
    let watch = NodeWatch()
    let broken = PostgresError(.server, "no table", sqlState: "42P01")
    let outcome = watch.poll(c: 0, failed: [("a", broken)])
    #expect(outcome.start == ["c"] && outcome.observed.count == 1)
    #expect(watch.end("c", items: 1).polled == ["b", "c"])
    watch.poll(failed: [("a", broken)])
    watch.now += .seconds(2)
    let again = watch.poll(a: 0)
    #expect(again.start == ["a"] && again.observed.count == 1)
  }

  @Test func `the heartbeat is due a minute after the last one, and shows the node's state`() {
    let watch = NodeWatch()
    watch.now += .seconds(59)
    #expect(watch.poll().beat == nil)
    watch.now += .seconds(1)
    watch.happen(.drained(true))
    #expect(watch.poll(failing: 1).beat == .init(state: "draining", needsNotify: true, prunesFailures: true))
    watch.now += .seconds(60)
    watch.happen(.drained(false))
    #expect(watch.poll(clockAgrees: false).beat?.state == "degraded")
    #expect(watch.poll().beat == nil)
  }

  @Test func `a stopped node waits for its batches, and then ends`() {
    let watch = NodeWatch()
    watch.poll(a: 0, c: 0)
    let stopped = watch.happen(.stopped)
    #expect(!stopped.finishes && stopped.wait != nil)
    #expect(!watch.end("a", items: 1, ready: ["b"]).finishes)
    #expect(watch.happen().wait != nil)
    let ended = watch.end("c", items: 1)
    #expect(ended.finishes && ended.start.isEmpty)
  }
}

@Suite("A node whose database is away") struct AwayNodeTests {
  private let away = PostgresError(.connection, "refused")

  @Test func `attempts to reconnect slow down to one in five seconds, and restart after a success`() {
    let watch = NodeWatch()
    func pause() -> Duration? { watch.happen(.lost(away)).wait }
    let pauses = (0..<10).map { _ in pause() ?? .zero }
    #expect(pauses.prefix(3) == [.milliseconds(75), .milliseconds(150), .milliseconds(300)])
    #expect(pauses.last == .milliseconds(3_750))
    watch.happen(.met)
    #expect(pause() == .milliseconds(75))
  }

  @Test func `each kind of loss is reported once, and the end of it`() {
    let watch = NodeWatch()
    #expect(watch.happen(.lost(away)).observed.count == 1)
    #expect(watch.happen(.lost(away)).observed.isEmpty)
    #expect(watch.happen(.lost(PostgresError(.timeout, "slow"))).observed.count == 1)
    #expect(watch.happen(.met).observed.count == 1)
  }

  @Test func `a notification does not hasten the next attempt, and a listener that is back does`() {
    let watch = NodeWatch()
    let rest = watch.happen(.lost(away)).wait
    #expect(watch.happen(.heard(sender: "", process: 7, count: 500), .listening(false)).wait == rest)
    #expect(watch.happen(.listening(true)).meets)
  }

  @Test func `a node meets the database again when its connection is gone, and beats at once`() {
    let watch = NodeWatch()
    watch.sleep()
    #expect(watch.happen(.parted).meets)
    #expect(watch.happen(.met).polled == ["a", "b", "c"])
    let outcome = watch.poll()
    #expect(outcome.beat != nil && outcome.needsNotify == true)
  }
}
