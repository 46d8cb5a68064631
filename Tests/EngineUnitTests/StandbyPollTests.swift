@testable import Engine
import Testing

@Suite("Polls of nodes that are not the first")
struct StandbyPollTests {
  /// The polls of a node in ten seconds in which it hears so many notifications, at even distances.
  private func polls(_ count: Int, finding: Bool) -> Int {
    var (standby, polls) = (StandbyPoll(), 0)
    for number in 0..<count {
      let now = Duration.seconds(10) * number / count
      if let at = standby.until, at <= now, standby.isOver(now: at) {
        standby.poll()
        standby.polled(hasFound: finding)
        polls += 1
      }
      standby.notified(now: now, pause: NodeOrder.step)
    }
    return polls
  }

  @Test func `standby polls wait their turn, and become rare while nothing is left to do`() {
    #expect((5...8).contains(polls(1000, finding: false)))
    #expect((80...100).contains(polls(1000, finding: true)))
  }

  @Test func `standby polls are dropped when the node polls for another reason before`() {
    var standby = StandbyPoll()
    standby.notified(now: .seconds(1), pause: .milliseconds(50))
    #expect(standby.until == .seconds(1) + .milliseconds(50))
    standby.poll()
    let wasOver = standby.isOver(now: .seconds(2))
    standby.notified(now: .seconds(2), pause: .milliseconds(50))
    let isOver = [Duration.seconds(2), .seconds(3)].map { standby.isOver(now: $0) }
    #expect(!wasOver && isOver == [false, true])
  }
}
