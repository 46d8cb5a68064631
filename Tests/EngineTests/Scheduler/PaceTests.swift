@testable import Engine
import Testing

@Suite("Looks for notifications")
struct PaceTests {
  /// How many looks so many notifications cause that come at even distances, and when the last one is.
  private func looks(
    _ count: Int, every distance: Duration, finding: Bool = false
  ) -> (count: Int, last: Duration, lastNotification: Duration) {
    var (pace, looks, last, now) = (Pace(), 0, Duration.zero, Duration.zero)
    var due: Duration?
    func look(_ at: Duration) {
      (looks, last) = (looks + 1, at)
    }
    for _ in 0..<count {
      now += distance
      if let at = due, at <= now {
        if finding { pace.found() }
        pace.waited(now: at)
        look(at)
        due = nil
      }
      guard let rest = pace.notified(now: now) else { continue }
      if rest == .zero { look(now) } else { due = now + rest }
    }
    if let due { look(due) }
    return (looks, last, now)
  }

  @Test("come at once when it was quiet, and one by one when few come")
  func quiet() {
    #expect(looks(1, every: .seconds(1)).count == 1)
    #expect(looks(100, every: .milliseconds(100)).count == 100)
    var pace = Pace()
    #expect(pace.notified(now: .seconds(5)) == .zero)
  }

  @Test("are four a second in a flood of those that bring nothing, and none is lost")
  func flood() {
    let ten = looks(10_000, every: .milliseconds(1))
    #expect((35...60).contains(ten.count))
    #expect(ten.last >= ten.lastNotification && ten.last - ten.lastNotification <= Pace.longest)
  }

  @Test("are at most 20 ms late while they find something to do")
  func useful() {
    let second = looks(1000, every: .milliseconds(1), finding: true)
    #expect((40...51).contains(second.count))
    #expect(second.last - second.lastNotification <= Pace.first)
  }
}
