@testable import Engine
import Testing

@Suite("The notification mark") struct NotifyMarkTests {
  /// Whether each poll under the mark asks for another one.
  private func asks(_ notifyMark: inout NotifyMark, oldest: [UInt64]) -> [Bool] {
    oldest.map { notifyMark.observe(oldest: $0, now: .zero) != nil }
  }

  @Test func `no further poll is needed without a notification mark`() {
    var notifyMark = NotifyMark()
    #expect(asks(&notifyMark, oldest: [1]) == [false])
  }

  @Test func `one poll after arming the notification mark is enough without writers`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100, now: .zero)
    #expect(asks(&notifyMark, oldest: [100]) == [false])
    #expect(notifyMark.isArmed)
  }

  @Test func `a writer that began before the notification mark is watched until it ends`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100, now: .zero)
    // Transaction 90 looked at the mark before it was committed, and stays silent. Those from 100 on ring.
    #expect(asks(&notifyMark, oldest: [90, 99, 100, 90]) == [true, true, false, false])
  }

  @Test func `checks for a long transaction become less frequent, up to twenty seconds`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100, now: .seconds(5))
    var now: Duration = .seconds(5)
    var pauses: [Duration] = []
    while let pause = notifyMark.observe(oldest: 1, now: now), pauses.count < 20 {
      pauses.append(pause)
      now += pause
    }
    #expect(pauses.prefix(4) == [.milliseconds(40), .milliseconds(40), .milliseconds(80), .milliseconds(160)])
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(pauses.last == .seconds(20))
  }

  @Test func `polls for other reasons do not delay the check for a silent writer`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100, now: .zero)
    let pauses = (1...50).compactMap { notifyMark.observe(oldest: 1, now: .milliseconds(20) * $0) }
    #expect(pauses.last == .seconds(1))
  }

  @Test func `arming the mark again waits for the writers of the new moment`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100, now: .zero)
    #expect(asks(&notifyMark, oldest: [100]) == [false])
    notifyMark.disarm()
    #expect(!notifyMark.isArmed)
    notifyMark.arm(200, now: .zero)
    #expect(asks(&notifyMark, oldest: [150, 200]) == [true, false])
  }
}
