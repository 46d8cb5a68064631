@testable import Engine
import Testing

@Suite("The pace of polls for notifications")
struct PaceTests {
  /// How many looks so many notifications cause that come at even distances, and when the last one is.
  private func polls(
    _ count: Int, every distance: Duration, finding: Bool = false
  ) -> (count: Int, last: Duration, lastNotification: Duration) {
    var (pace, polls, last, now) = (Pace(), 0, Duration.zero, Duration.zero)
    var due: Duration?
    func poll(_ at: Duration) {
      (polls, last) = (polls + 1, at)
    }
    for _ in 0..<count {
      now += distance
      if let at = due, at <= now {
        if finding { pace.found() }
        pace.waited(now: at)
        poll(at)
        due = nil
      }
      guard let rest = pace.notified(now: now) else { continue }
      if rest == .zero { poll(now) } else { due = now + rest }
    }
    if let due { poll(due) }
    return (polls, last, now)
  }

  @Test func `polls follow notifications at once after a quiet time, and one by one when few come`() {
    #expect(polls(1, every: .seconds(1)).count == 1)
    #expect(polls(100, every: .milliseconds(100)).count == 100)
    var pace = Pace()
    #expect(pace.notified(now: .seconds(5)) == .zero)
  }

  @Test func `a flood of notifications without work costs four polls a second, and none is lost`() {
    let ten = polls(10_000, every: .milliseconds(1))
    #expect((35...60).contains(ten.count))
    #expect(ten.last >= ten.lastNotification && ten.last - ten.lastNotification <= Pace.longest)
  }

  @Test func `polls for notifications are at most 20 ms late while they find work`() {
    let second = polls(1000, every: .milliseconds(1), finding: true)
    #expect((40...51).contains(second.count))
    #expect(second.last - second.lastNotification <= Pace.first)
  }
}
