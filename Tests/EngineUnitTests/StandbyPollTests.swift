@testable import Engine
import Postgres
import Synchronization
import Testing

@Suite("Polls of nodes that are not the first")
struct StandbyPollTests {
  /// The polls of a node in ten seconds in which it hears so many notifications, at even distances.
  private func polls(_ count: Int, finding: Bool) -> Int {
    var (standby, polls) = (StandbyPoll(), 0)
    var due: Duration?
    for number in 0..<count {
      let now = Duration.seconds(10) * number / count
      if let at = due, at <= now, standby.isOver(now: at) {
        standby.poll()
        standby.polled(hasFound: finding)
        (polls, due) = (polls + 1, nil)
      }
      if let rest = standby.notified(now: now, pause: NodeOrder.step) { due = now + rest }
    }
    return polls
  }

  @Test func `standby polls wait their turn, and become rare while nothing is left to do`() {
    #expect((5...8).contains(polls(1000, finding: false)))
    #expect((80...100).contains(polls(1000, finding: true)))
  }

  @Test func `standby polls are dropped when the node polls for another reason before`() {
    var standby = StandbyPoll()
    let first = standby.notified(now: .seconds(1), pause: .milliseconds(50))
    standby.poll()
    let served = !standby.isOver(now: .seconds(2))
    let second = standby.notified(now: .seconds(2), pause: .milliseconds(50))
    let isOver = [Duration.seconds(2), .seconds(3)].map { standby.isOver(now: $0) }
    #expect(first == .milliseconds(50) && served)
    #expect(second == .milliseconds(50) && isOver == [false, true])
  }

  @Test func `a node's own notifications cause no standby poll until it polls again`() {
    let rings = Mutex(0)
    let now = Mutex<Duration>(.seconds(100))
    let time = Timekeeper(
      now: { now.withLock { $0 } }, boot: { .zero }, bootId: "b", wall: { Timestamp(microseconds: 0) },
      sleep: { _ in throw CancellationError() }, draw: { 0 })
    let polls = NotifiedPolls(node: "a", time: time) { rings.withLock { $0 += 1 } }
    func heard(_ sender: String) -> Int {
      now.withLock { $0 += .seconds(1) }
      polls.heard(Notification(channel: "settled", payload: sender, pid: 7))
      return rings.withLock { $0 }
    }
    polls.keepCalm(until: .seconds(103))
    #expect([heard("a"), heard(""), heard("a")] == [0, 1, 2])
    polls.keepCalm(until: .seconds(200))
    #expect([heard("a"), heard("b")] == [2, 3])
    polls.begin()
    #expect(heard("a") == 4)
  }

  @Test func `one of four nodes polls a write at once, and each of the others once, later`() async throws {
    let slept = Mutex<[Duration]>([])
    let rings = Mutex(0)
    let now = Mutex<Duration>(.seconds(100))
    let time = Timekeeper(
      now: { now.withLock { $0 } }, boot: { .zero }, bootId: "b", wall: { Timestamp(microseconds: 0) },
      sleep: { duration in slept.withLock { $0.append(duration) } }, draw: { 0 })
    let nodes = ["a", "b", "c", "d"]
    let all = nodes.map { node in
      let polls = NotifiedPolls(node: node, time: time) { rings.withLock { $0 += 1 } }
      polls.end(nodes: nodes, hasFound: false)
      return polls
    }
    for polls in all { polls.heard(Notification(channel: "settled", payload: "", pid: 6)) }
    for (node, polls) in zip(nodes, all) where node != "c" {
      polls.heard(Notification(channel: "settled", payload: "c", pid: 7))
    }
    #expect(rings.withLock { $0 } == 1)
    while slept.withLock({ $0.count }) < 3 { await Task.yield() }
    #expect(slept.withLock { $0.sorted() } == [.milliseconds(100), .milliseconds(200), .milliseconds(300)])
  }
}
